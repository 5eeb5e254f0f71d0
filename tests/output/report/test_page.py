"""The page in a real browser: its numbers, its manners, and what it never does."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from browser import CONTRAST, UNNAMED, Opened, chromium, needs_chromium
from exported import BUILDERS, fitted, predicted, queries
from mastgp import MAST, DataError
from mastgp.check.validation import validate
from mastgp.models.cokriging import CoKriging
from mastgp.output.report.page import page_html, write_page
from mastgp.output.summary import summarise


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def wing(tmp_path_factory):
    """The page of a blend, and the blend."""
    path = tmp_path_factory.mktemp("page") / "wing.html"
    write_page([("drag", fitted("auto"))], path, command="mast report wing.mast -o wing.html")
    return path


def points(X):
    return [list(row) for row in X.itertuples(index=False)]


def test_a_page_needs_a_model():
    with pytest.raises(DataError, match="at least one"):
        page_html([])


@needs_chromium
@pytest.mark.parametrize("name", BUILDERS)
def test_the_page_predicts_what_the_model_predicts(name, browser, tmp_path, monkeypatch):
    from mastgp.output.report import facts

    monkeypatch.setattr(facts, "sobol_indices", lambda *_: None)
    model, X = fitted(name), queries(name)
    write_page([("drag", model)], tmp_path / "page.html")
    with Opened(browser, tmp_path / "page.html") as opened:
        found = np.array(opened.predict(points(X)))
        assert opened.complaints == []
    np.testing.assert_allclose(found, predicted(model, X), rtol=1e-6, atol=1e-8)


@needs_chromium
def test_nothing_is_asked_of_any_server(browser, wing):
    with Opened(browser, wing) as opened:
        opened.predict([[6.0, 0.5, 0.5]])
        asked = {url.split(":")[0] for url in opened.requests}
        assert asked <= {"file", "blob", "data"}
        assert opened.complaints == []


@needs_chromium
@pytest.mark.parametrize("width", [360, 800, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_every_screen(browser, wing, width, scheme):
    with Opened(browser, wing, width, scheme) as opened:
        assert opened.overflow <= 0
        assert opened.complaints == []
        assert opened.page.evaluate(CONTRAST) == []
        assert opened.page.evaluate(UNNAMED) == []


#: What would lead readers astray who hear the page or use the keyboard only.
ASTRAY = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const ids = all('[id]').map((node) => node.id);
  const levels = all('h1, h2, h3').map((node) => Number(node.tagName[1]));
  return {
    twice: ids.filter((id, i) => ids.indexOf(id) !== i),
    forced: all('[tabindex]').filter((node) => node.tabIndex > 0).length,
    skipped: levels.filter((level, i) => i && level > levels[i - 1] + 1).length,
    titles: all('h1').length,
    landmarks: ['header', 'nav', 'main', 'footer'].filter((name) => all(name).length !== 1),
    captions: all('table').filter((node) => !node.querySelector('caption')).length,
    headings: all('thead th').filter((node) => node.getAttribute('scope') !== 'col').length,
    dead: all('a[href^="#"]').filter((a) => !document.getElementById(a.hash.slice(1))).length,
    silent: all('[aria-live]').length ? 0 : 1,
    language: document.documentElement.lang,
  };
}"""


@needs_chromium
def test_those_who_hear_it_find_their_way(browser, wing):
    with Opened(browser, wing) as opened:
        found = opened.page.evaluate(ASTRAY)
        assert found.pop("language") == "en"
        assert found.pop("titles") == 1
        assert not any(found.values()), found
        # The first stop leads past everything; then come the links, the theme and the sliders.
        stops = []
        for _ in range(14):
            opened.page.keyboard.press("Tab")
            stops.append(opened.page.evaluate("document.activeElement.textContent.trim()"))
        assert stops[:3] == ["To the content", "Predict", "Data"]
        assert stops.index("Dark / light") == 9


@needs_chromium
def test_a_thousand_points_in_ten_dimensions_open_quickly(browser, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.random((1000, 10))
    y = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * X[:, 3:].sum(axis=1)
    model = CoKriging(order=["coarse", "fine"], inference="map", warp=None)
    model.fit(X, y, fidelity=np.repeat(["coarse", "fine"], [900, 100]))
    path = tmp_path / "page.html"
    write_page([("y", model)], path)
    assert path.stat().st_size < 6e6
    with Opened(browser, path) as opened:
        loaded = opened.page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
        assert loaded < 2000.0
        found = np.array(opened.predict(X[:3].tolist()))
        np.testing.assert_allclose(found, predicted(model, X[:3]), rtol=1e-6)
        assert opened.complaints == []


@needs_chromium
def test_its_tables_are_those_of_mast_show(browser, wing):
    facts = summarise(fitted("auto"))
    with Opened(browser, wing) as opened:
        tables = opened.page.evaluate(
            "[...document.querySelectorAll('#data table')].map((table) => "
            "[...table.tBodies[0].rows].map((row) => [...row.cells].map((c) => c.textContent)))"
        )
        sources, inputs = tables
        assert [[row[0], int(row[1]), float(row[2])] for row in sources] == [
            [f["name"], f["points"], f["cost"]] for f in reversed(facts["fidelities"])
        ]
        shown = [f["noise_std"] for f in reversed(facts["fidelities"])]
        for row, noise in zip(sources, shown, strict=True):
            assert row[3] in ("–", "none seen") or row[3] == f"{noise:.3g}"
        for row, own in zip(inputs, facts["inputs"], strict=True):
            assert row[:2] == [own["name"], f"{own['low']:.4g} to {own['high']:.4g}"]
        verdict = facts["verdict"][0]["sentence"]
        assert verdict in opened.text("#cheap")
        assert facts["origin"]["data_sha256"] in opened.text("#made")


@needs_chromium
def test_its_numbers_are_those_of_the_check(browser, wing):
    model = fitted("auto")
    table = validate(model)
    with Opened(browser, wing) as opened:
        cards = opened.text("header")
        assert f"{table.rmse[0]:.4g}" in cards
        assert f"{100 * model.held_out_.prognosis:.1f} %" in cards
        opened.page.click("#quality details:not(.tools) > summary")
        rows = opened.text("#quality table")
        for number in (*table.rmse[:4], *table.nlpd[:4], *table.crps[:4]):
            assert f"{number:.4g}" in rows


@needs_chromium
def test_a_slider_moves_the_value(browser, wing):
    with Opened(browser, wing) as opened:
        page = opened.page
        page.fill("#input0", "5.5")
        page.wait_for_selector("html[data-drawn]", state="attached")
        page.fill("#input1", "0.25")
        page.wait_for_selector("html[data-drawn]", state="attached")
        numbers = json.loads(page.get_attribute("[data-value='0']", "data-numbers"))
        z = float(page.input_value("#input2"))
        X = pd.DataFrame([[5.5, 0.25, z]], columns=["x", "y", "z"])
        np.testing.assert_allclose(numbers, predicted(fitted("auto"), X)[0], rtol=2e-5)
        assert page.text_content("[data-value='0'] .far") in (
            "",
            "Extrapolates: far from every fine point.",
        )
        page.fill("#input0", "9")
        assert "x is outside the fine points" in page.text_content("[data-value='0'] .far")


def typed_in_turn(page, values):
    """What a colleague does: a click on "Predict", then a number and the next field."""
    page.click("nav a:text-is('Predict')")
    page.click("#input0", click_count=3)
    for value in values:
        page.keyboard.type(value)
        page.keyboard.press("Tab")  # to the next slider
        page.keyboard.press("Tab")  # to its field, whose number is then selected


@needs_chromium
def test_a_condition_is_found_by_two_clicks_and_its_numbers(browser, wing):
    with Opened(browser, wing) as opened:
        page = opened.page
        typed_in_turn(page, ["5.5", "0.25", "0.75"])
        page.wait_for_selector("html[data-drawn]", state="attached")
        X = pd.DataFrame([[5.5, 0.25, 0.75]], columns=["x", "y", "z"])
        mean, std, low, high = predicted(fitted("auto"), X)[0]
        numbers = json.loads(page.get_attribute("[data-value='0']", "data-numbers"))
        np.testing.assert_allclose(numbers, [mean, std, low, high], rtol=1e-6)
        card = page.locator("[data-value='0']")
        assert card.is_visible()
        box, screen = card.bounding_box(), page.viewport_size
        assert 0.0 <= box["y"] <= screen["height"] - box["height"]
        decimals = 1 - int(np.floor(np.log10(std)))
        words = [f"{value:.{decimals}f}" for value in (mean, low, high)]
        assert all(word in card.inner_text() for word in words)


@needs_chromium
def test_an_address_leads_to_a_point_and_back(browser, tmp_path):
    write_page([("drag", fitted("levels"))], tmp_path / "page.html")
    place = "#y=0.25&alloy=ti&unknown=3&z=nonsense"
    with Opened(browser, f"{tmp_path / 'page.html'}{place}") as opened:
        page = opened.page
        assert page.input_value("#input1") == "0.25"
        assert page.input_value("#input3") == "ti"
        assert 0.0 < float(page.input_value("#input2")) < 1.0
        page.fill("#input2", "0.125")
        page.wait_for_selector("html[data-drawn]", state="attached")
        page.wait_for_timeout(600)
        address = page.evaluate("location.href")
        assert "z=0.125" in address
        assert "alloy=ti" in address
        assert opened.complaints == []
    with Opened(browser, address.removeprefix("file://")) as again:
        assert again.page.input_value("#input2") == "0.125"
        again.page.evaluate("location.hash = '#data'")
        assert again.page.input_value("#input2") == "0.125"


@needs_chromium
def test_a_point_is_copied_with_its_values(browser, wing):
    with Opened(browser, wing) as opened:
        page = opened.page
        opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.fill("#input0", "5.5")
        page.wait_for_selector("html[data-drawn]", state="attached")
        page.click("#copy")
        page.wait_for_selector("#copied:text-is('Copied.')")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith("x = 5.5, y = ")
        assert page.inner_text("[data-value='0'] .mean") in copied
        assert "95 % between" in copied
        assert opened.complaints == []


@needs_chromium
def test_the_keyboard_is_enough(browser, wing):
    with Opened(browser, wing) as opened:
        page = opened.page
        page.focus("input[type=range] >> nth=0")
        before = page.input_value("#input0")
        page.keyboard.press("ArrowRight")
        page.wait_for_selector("html[data-drawn]", state="attached")
        assert page.input_value("#input0") != before
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "input0"


@needs_chromium
def test_a_menu_moves_between_levels(browser, tmp_path):
    write_page([("drag", fitted("levels"))], tmp_path / "page.html")
    with Opened(browser, tmp_path / "page.html") as opened:
        page = opened.page
        for name in ("x", "y", "z"):
            page.evaluate(
                "([n, v]) => window.mast.move({[n]: v})", [name, 6.0 if name == "x" else 0.5]
            )
        page.select_option("#input3", "ti")
        page.wait_for_selector("html[data-drawn]", state="attached")
        numbers = json.loads(page.get_attribute("[data-value='0']", "data-numbers"))
        X = pd.DataFrame([[6.0, 0.5, 0.5, "ti"]], columns=["x", "y", "z", "alloy"])
        np.testing.assert_allclose(numbers, predicted(fitted("levels"), X)[0], rtol=1e-6)
        assert opened.complaints == []


NASTY = "<script>window.stolen = 1</script>"


def nasty_model():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.random((24, 2)), columns=[NASTY, '"><img src=x onerror=stolen=1>'])
    X["'; --"] = np.array(["</script>", "<b>", "&lt;"])[np.arange(24) % 3]
    y = pd.Series(X.iloc[:, 0] + X.iloc[:, 1] ** 2, name="</title><script>stolen=1</script>")
    labels = ["<i>"] * 15 + ["</table>"] * 9
    model = MAST(order=["<i>", "</table>"])
    return model.fit(X, y, fidelity=labels, categorical=["'; --"])


@needs_chromium
def test_names_are_never_markup(browser, tmp_path):
    model = nasty_model()
    write_page([(NASTY, model), ("b", model)], tmp_path / "page.html", title=NASTY, command=NASTY)
    with Opened(browser, tmp_path / "page.html") as opened:
        page = opened.page
        assert page.evaluate("typeof window.stolen") == "undefined"
        assert page.locator("script").count() == 10
        assert page.locator("img").count() == 0
        assert page.title() == NASTY
        assert opened.complaints == []
        assert NASTY in opened.text("main")


@needs_chromium
def test_two_models_share_their_sliders(browser, tmp_path):
    models = [("one", fitted("mast")), ("two", fitted("hf-only"))]
    write_page(models, tmp_path / "page.html")
    with Opened(browser, tmp_path / "page.html") as opened:
        page = opened.page
        page.fill("#input0", "5.25")
        page.select_option("#shown-entry", "1")
        page.wait_for_selector("html[data-drawn]", state="attached")
        rest = [float(page.input_value(f"#input{i}")) for i in (1, 2)]
        X = pd.DataFrame([[5.25, *rest]], columns=["x", "y", "z"])
        for i, (_, model) in enumerate(models):
            numbers = json.loads(page.get_attribute(f"[data-value='{i}']", "data-numbers"))
            np.testing.assert_allclose(numbers, predicted(model, X)[0], rtol=1e-4)
        assert opened.overflow <= 0
        assert opened.complaints == []


@needs_chromium
def test_a_method_that_no_page_can_compute_has_its_slices(browser, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.random((40, 2))
    model = MAST(surrogate="extra-trees", random_state=0).fit(X, X[:, 0] + X[:, 1])
    write_page([("y", model)], tmp_path / "page.html")
    with Opened(browser, tmp_path / "page.html") as opened:
        assert "cannot compute" in opened.text("#explore")
        assert opened.page.locator("#slices path.c-model").count() == 2
        assert opened.page.locator("#contour svg image").count() == 1
        assert not opened.page.locator("#contour-what").is_visible()  # no other map can be drawn
        assert opened.complaints == []


@needs_chromium
def test_one_input_is_enough(browser, tmp_path):
    x = np.linspace(0, 1, 9)[:, None]
    model = MAST().fit(x, np.sin(4 * x[:, 0]))
    write_page([("y", model)], tmp_path / "page.html")
    with Opened(browser, tmp_path / "page.html", 360) as opened:
        np.testing.assert_allclose(
            opened.predict([[0.3]])[0], predicted(model, [[0.3]])[0], rtol=1e-6
        )
        assert opened.page.locator("#contour").count() == 0
        assert opened.complaints == []


@needs_chromium
def test_it_prints_on_paper(browser, wing):
    with Opened(browser, wing) as opened:
        paper = opened.page.pdf(format="A4", prefer_css_page_size=True)
        assert paper.startswith(b"%PDF")
        assert 3 <= paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ") <= 12


@needs_chromium
def test_without_workers_the_page_computes_itself(browser, wing):
    with Opened(browser, wing) as opened:
        opened.context.add_init_script("delete window.Worker")
        opened.page.reload()
        opened.page.wait_for_selector("html[data-ready=yes]", state="attached")
        X = queries("auto", 3)
        found = opened.predict(points(X))
    np.testing.assert_allclose(found, predicted(fitted("auto"), X), rtol=1e-6)
