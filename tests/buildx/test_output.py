"""What stands behind `--output` is what buildx's reader of comma-separated values takes apart again."""

from __future__ import annotations

import csv

import pytest

from orchestrator.buildx.output import (
    LoadImage,
    Output,
    PushByDigest,
    PushTag,
    WriteLayout,
    comma_separated,
    output_value,
)

BY_DIGEST = ["push-by-digest=true", "name-canonical=true", "push=true", "store=false", "oci-mediatypes=true"]


@pytest.mark.parametrize(
    ("output", "fields"),
    [
        (PushByDigest(("r/a",)), ["type=image", "name=r/a", *BY_DIGEST]),
        (PushByDigest(("r/a", "s/b")), ["type=image", "name=r/a,s/b", *BY_DIGEST]),
        (PushByDigest(("r/a",), oci_artifact=False), ["type=image", "name=r/a", *BY_DIGEST, "oci-artifact=false"]),
        (PushTag(("r/a:x", "s/b:x")), ["type=image", "name=r/a:x,s/b:x", "push=true", "oci-mediatypes=true"]),
        (LoadImage(("r/a:x",)), ["type=docker", "name=r/a:x"]),
        (WriteLayout("/a, b/c"), ["type=oci", "dest=/a, b/c", "tar=false"]),
    ],
)
def test_output(output: Output, fields: list[str]) -> None:
    assert next(csv.reader([output_value(output)])) == fields


def test_only_what_needs_quotes_gets_them() -> None:
    assert comma_separated(("type=image", "name=a,b")) == 'type=image,"name=a,b"'
