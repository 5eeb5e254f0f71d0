"""What to run next: suggestions of a fitted model, and studies that ask and are told."""
