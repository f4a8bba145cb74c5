import pytest

from chrfect import Bleu, ChrF, CountRecipe, UsageError, parse


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("chrF", "chrF(beta=3)"),
        ("chrF", "chrF(averaging=per_order_f)"),
        ("wordF", "wordF(whitespace=keep,unit=byte)"),
        ("BLEU(tokenize=none)", "BLEU(tokenize=none,smoothing=floor,effective_order=always)"),
    ],
)
def test_recipe_excludes_settings_that_do_not_change_counts(one, other):
    assert parse(one).count_recipe == parse(other).count_recipe


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        ("chrF", "BLEU(tokenize=none)", "one was counted for chrF, the other for BLEU"),
        ("chrF", "chrF(lowercase=yes)", r"case is mixed in one and lower \(Unicode [0-9.]+\) in the other"),
        ("chrF", "chrF(unit=byte)", "unit is codepoint in one and byte in the other"),
        ("chrF", "chrF(whitespace=keep)", "whitespace is remove in one and keep in the other"),
        ("chrF", "chrF(unreferenced=count)", "unreferenced is drop in one and count in the other"),
        ("chrF", "chrF++", r"only one of them has the column word-1\.hypothesis"),
        ("BLEU(tokenize=none)", "BLEU(tokenize=char)", "tokenizer is none in one and char in the other"),
    ],
)
def test_recipe_difference_names_the_setting_that_changes_counts(one, other, message):
    one, other = parse(one), parse(other)
    with pytest.raises(UsageError, match=f"cannot be added: {message}"):
        one.count_recipe.merge(other.count_recipe)
    with pytest.raises(UsageError, match="cannot score these counts"):
        one.score(other.count(["a b"], ["a c"]))


def test_recipe_identifies_a_sentencepiece_model_by_its_digest(tmp_path):
    import shutil

    import sentencepiece

    lines = ["the cat sat on the mat", "a dog ran over the hill", "words and more words"] * 20
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_prefix=str(tmp_path / "one"), vocab_size=27, minloglevel=2
    )
    shutil.copy(tmp_path / "one.model", tmp_path / "two.model")
    one, two = (Bleu(tokenize="spm", spm_model=str(tmp_path / f"{name}.model")) for name in ("one", "two"))
    assert one.count_recipe == two.count_recipe
    counts = one.corpus(["a cat"], ["the cat"]).counts + two.corpus(["a cat"], ["the cat"]).counts
    assert two.score(counts).segment_count == 2
    assert str(tmp_path) not in str(one.count_recipe)


def test_recipe_round_trips_through_json():
    import json

    recipe = ChrF(unit="grapheme", lowercase=True).count_recipe
    assert CountRecipe.from_dict(json.loads(json.dumps(recipe.to_dict()))) == recipe


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": None}, "incomplete"),
        ({"parameters": ["a"]}, "incomplete"),
        ({"family": 3}, "malformed"),
        ({"choice": 3}, "malformed"),
        ({"columns": [1]}, "malformed"),
    ],
)
def test_rejects_an_incomplete_recipe(change, message):
    with pytest.raises(UsageError, match=message):
        CountRecipe.from_dict(ChrF().count_recipe.to_dict() | change)
