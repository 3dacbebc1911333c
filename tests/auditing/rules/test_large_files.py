"""Files that are made to be slow are audited in time."""

import time

import pytest

from tests.auditing.judged import findings

NATIVE = "RUN go build -o /a . && x=$(uname -m) && curl -o /x https://e.com/$x && cp /a /b && echo $TARGETARCH\n"
LARGE = {
    "stages on stages": (
        "FROM --platform=$BUILDPLATFORM golang AS s0\n"
        + "".join(f"FROM s{i} AS s{i + 1}\n{NATIVE}" for i in range(300))
        + "FROM debian\nCOPY --from=s300 /zz /b\n"
    ),
    "stages beside stages": (
        "".join(f"FROM --platform=$BUILDPLATFORM golang AS s{i}\n{NATIVE}" for i in range(300))
        + "FROM debian\n"
        + "".join(f"COPY --from=s{i} /zz /b\n" for i in range(300))
    ),
    "copies of copies": (
        "FROM --platform=$BUILDPLATFORM golang AS s0\nRUN go build -o /a .\n"
        + "".join(
            f"FROM --platform=$BUILDPLATFORM golang AS s{i}\nRUN go build -o /a .\n"
            + "".join(f"COPY --from=s{j} /a /a\n" for j in range(max(0, i - 20), i))
            for i in range(1, 300)
        )
        + "FROM debian\nCOPY --from=s299 /zz /b\n"
    ),
    "many builds in one stage": (
        f"FROM --platform=$BUILDPLATFORM golang AS b\n{NATIVE * 600}FROM debian\nCOPY --from=b /zz /b\n"
    ),
    "many arguments": "FROM a\n" + "ARG ARCH=amd64 TARGETARCH=amd64\nRUN echo $ARCH > /x\n" * 600,
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE.keys())
def test_large_files_are_done_in_time(text: str) -> None:
    begin = time.process_time()
    findings(text)
    assert time.process_time() - begin < 5.0
