"""Many candidates, checked and blended."""
