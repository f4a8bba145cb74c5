"""The colours of pages: readable, and different for people with any colour vision, in light and dark mode."""

import re

import numpy as np
import pytest

from chrfect.report.style import stylesheet

SEEN = {
    "all colours": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
    "no colours": [[0.2126, 0.7152, 0.0722]] * 3,
}
"""Matrices for linear RGB of complete deficiencies (Machado et al. 2009), and of brightness alone."""
TEXTS = [
    *[("ink", ground) for ground in ("paper", "panel", "h1", "h2", "h-1", "h-2", "first-soft", "second-soft")],
    *[(ink, ground) for ink in ("quiet", "link") for ground in ("paper", "panel")],
    *[(ink, "paper") for ink in ("first", "second")],
    *[("on-strong", ground) for ground in ("h3", "h-3")],
    *[("on-dark", ground) for ground in ("s0", "s1")],
    *[("on-light", ground) for ground in ("s2", "s3")],
]
OPPOSITES = [("first", "second"), ("first-soft", "second-soft"), ("h1", "h-1"), ("h2", "h-2"), ("h3", "h-3")]
STEPS = [("s0", "s1"), ("s1", "s2"), ("s2", "s3"), ("h1", "h2"), ("h2", "h3"), ("h-1", "h-2"), ("h-2", "h-3")]


def palette(scheme):
    """Return the colours of light or dark mode as linear RGB."""
    light, dark = re.findall(r"\.chrfect \{([^}]*--paper[^}]*)\}", stylesheet())
    found = dict(re.findall(r"--([\w-]+): #(\w+)", light if scheme == "light" else dark))
    full = {name: text if len(text) == 6 else "".join(2 * digit for digit in text) for name, text in found.items()}
    codes = {name: np.array([int(text[i : i + 2], 16) for i in (0, 2, 4)]) / 255 for name, text in full.items()}
    return {
        name: np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4) for name, code in codes.items()
    }


def seen(colour, vision):
    return np.clip(np.array(SEEN[vision]) @ colour, 0, 1)


def contrast(one, other):
    """Return the ratio of WCAG."""
    bright, dark = sorted((float(colour @ [0.2126, 0.7152, 0.0722]) for colour in (one, other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def distance(one, other):
    """Return the distance in CIELAB, where about 2 is just noticeable."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    labs = []
    for colour in (one, other):
        x, y, z = (to_xyz @ colour) / [0.9505, 1, 1.089]
        fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
        labs.append(np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)]))
    return float(np.linalg.norm(labs[0] - labs[1]))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("vision", SEEN)
def test_texts_stand_out_from_their_ground(scheme, vision):
    colours = {name: seen(colour, vision) for name, colour in palette(scheme).items()}
    ratios = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in TEXTS}
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("vision", [name for name in SEEN if name != "no colours"])
def test_both_systems_have_different_colours(scheme, vision):
    """Without colours the signs, markers and lines tell them apart."""
    colours = {name: seen(colour, vision) for name, colour in palette(scheme).items()}
    distances = {pair: distance(colours[pair[0]], colours[pair[1]]) for pair in OPPOSITES}
    assert {pair: found for pair, found in distances.items() if found < 10} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("vision", SEEN)
def test_steps_differ_in_brightness(scheme, vision):
    colours = {name: seen(colour, vision) for name, colour in palette(scheme).items()}
    distances = {pair: distance(colours[pair[0]], colours[pair[1]]) for pair in STEPS}
    assert {pair: found for pair, found in distances.items() if found < 6} == {}
