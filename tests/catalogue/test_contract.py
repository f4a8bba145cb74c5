import hashlib
import json

import pytest
from jsonschema import Draft202012Validator

from chrfect import ContractError, catalogue

KEYS = [
    "id", "version", "description", "supported_operations", "unsupported_operations", "semantics", "limits",
    "pricing", "input_schema", "output_schema", "examples", "execute_url",
]  # fmt: skip

PUBLISHED = {
    "chrf-compute@1.0.0": "a45cbea1dbcc0927dfc90c144ac9f8e26d9862536354db0484a9d5a1a9d48e63",
    "chrf-plus-plus-compute@1.0.0": "e997741b4d33e49028f9e6cbfafcb7d6a3e0724c20715db26c033fde71e812bb",
    "chrf-components@1.0.0": "904a48e0d4c515a86accbf77c95909a4973e6c13a0c0174187338a3ff6bc151c",
    "bleu-ngrams-count@1.0.0": "291a75585937d5046b2b303fcd145ba6247a5aa15e50632f5bfd76ce7af49297",
    "bleu-sentence-components@1.0.0": "0c2fdbb7703ef57ab9e63077c7282153fe997b18ce114c1a143a97c752b63f4d",
    "bleu-sentence-compute@1.0.0": "d4c9501585b96bad502992683c285179a4eec8df5efadbfe309a6ebb44163351",
    "bleu-corpus-compute@1.0.0": "91154e1d1da16e4d327bff12ed9465acf3ed895ffdcc824076c79a80b6c8176e",
}
"""A published contract never changes: the SHA-256 of each file's bytes, which is also its ETag."""

ALL = [(id, version) for id in catalogue.ids() for version in catalogue.versions(id)]


def test_published_contracts_have_not_changed():
    digests = {f"{i}@{v}": hashlib.sha256(catalogue.contract_bytes(i, v)).hexdigest() for i, v in ALL}
    assert digests == PUBLISHED


@pytest.mark.parametrize(("id", "version"), ALL)
def test_a_contract_has_exactly_its_keys_in_order(id, version):
    contract = catalogue.contract(id, version)
    assert list(contract) == KEYS
    assert (contract["id"], contract["version"]) == (id, version)
    assert contract["execute_url"] == f"/v1/tools/{id}/versions/{version}/execute"


@pytest.mark.parametrize(("id", "version"), ALL)
def test_every_example_of_a_contract_is_reproduced(id, version):
    contract = catalogue.contract(id, version)
    assert contract["examples"]
    for example in contract["examples"]:
        Draft202012Validator(contract["input_schema"]).validate(example["input"])
        answer = catalogue.run(id, version, example["input"])
        Draft202012Validator(contract["output_schema"]).validate(answer)
        assert json.dumps(answer) == json.dumps(example["output"])
        assert list(answer) == list(contract["output_schema"]["properties"])


OF_TOKENS = ["too_many_references", "no_references", "invalid_token"]


@pytest.mark.parametrize(
    ("id", "codes"),
    [
        ("chrf-components", ["no_orders"]),
        ("bleu-ngrams-count", [*OF_TOKENS, "table_too_large"]),
        ("bleu-sentence-components", OF_TOKENS),
        ("bleu-sentence-compute", OF_TOKENS),
        ("bleu-corpus-compute", OF_TOKENS),
    ],
)
def test_contract_lists_the_error_codes_of_its_tool(id, codes):
    semantics = " ".join(catalogue.contract(id, "1.0.0")["semantics"])
    assert [code for code in codes if code not in semantics] == []


def closed(schema):
    """Yield every object schema that would let an unnamed key pass."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
            yield schema
        for value in schema.values():
            yield from closed(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from closed(value)


@pytest.mark.parametrize(("id", "version"), ALL)
def test_schemas_are_2020_12_and_closed(id, version):
    contract = catalogue.contract(id, version)
    for schema in (contract["input_schema"], contract["output_schema"]):
        Draft202012Validator.check_schema(schema)
        assert "$schema" not in schema
        assert list(closed(schema)) == []


def test_the_index_has_what_a_page_needs_and_related_tools_exist():
    ids = catalogue.ids()
    for entry in catalogue.index():
        assert list(entry) == ["id", "title", "category", "access", "related"]
        assert set(entry["related"]) == set(ids) - {entry["id"]}


def test_id_that_is_not_a_text_is_an_unknown_tool():
    for id in (["chrf-compute"], None, 5):
        with pytest.raises(ContractError) as caught:
            catalogue.run(id, "1.0.0", {})
        assert caught.value.code == "unknown_tool"


def test_an_unknown_id_with_a_lone_surrogate_can_be_printed():
    with pytest.raises(ContractError, match="no tool 'chrf\ufffd'"):
        catalogue.run("chrf\ud800", "1.0.0", {})


def test_unknown_tools_and_versions_name_the_nearest():
    with pytest.raises(ContractError, match="nearest is 'chrf-compute'") as caught:
        catalogue.run("chrf-comptue", "1.0.0", {})
    assert (caught.value.code, caught.value.pointer) == ("unknown_tool", None)
    with pytest.raises(ContractError, match=r"no version '1\.0'; the nearest is '1\.0\.0'") as caught:
        catalogue.run("chrf-compute", "1.0", {})
    assert (caught.value.code, caught.value.pointer) == ("unknown_version", None)
