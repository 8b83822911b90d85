"""sarif: writes what a search for rules finds as SARIF 2.1.0.

    tg --json --overlapping --rules=rules.txt | python3 sarif.py [baseline.sarif] >found.sarif

With a baseline, an earlier output, each result is said to be new, unchanged or absent. The status is 1 if any is new.
"""

import base64
import hashlib
import json
import sys


def text_of(data):
    return data["text"] if "text" in data else base64.b64decode(data["bytes"]).decode("utf-8", "replace")


def results_of(messages):
    """Yield a result for each match of a rule."""
    for message in map(json.loads, messages):
        if message["type"] != "match":
            continue
        data = message["data"]
        line = text_of(data["lines"]).encode()
        for match in data["submatches"]:
            for rule in match.get("patterns", [match["pattern"]]):
                found = [str(rule), text_of(data["path"]), text_of(match["match"])]
                region = {
                    "startLine": data["line_number"],
                    "startColumn": len(line[: match["start"]].decode("utf-8", "replace")) + 1,
                }
                yield {
                    "ruleId": found[0],
                    "message": {"text": f"{found[0]} matches"},
                    "locations": [{"physicalLocation": {"artifactLocation": {"uri": found[1]}, "region": region}}],
                    "partialFingerprints": {"match/v1": hashlib.sha256("\0".join(found).encode()).hexdigest()},
                }


def key(result):
    return result["partialFingerprints"]["match/v1"]


def main():
    results = list(results_of(sys.stdin.buffer))
    if len(sys.argv) > 1:
        with open(sys.argv[1], encoding="utf-8") as file:
            before = {key(result): result for result in json.load(file)["runs"][0]["results"]}
        now = {key(result) for result in results}
        for result in results:
            result["baselineState"] = "unchanged" if key(result) in before else "new"
        for result in before.values():
            if key(result) not in now and result.get("baselineState") != "absent":
                results.append({**result, "baselineState": "absent"})
    rules = [{"id": rule} for rule in sorted({result["ruleId"] for result in results})]
    run = {"tool": {"driver": {"name": "trawl", "rules": rules}}, "columnKind": "unicodeCodePoints", "results": results}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    json.dump({"$schema": schema, "version": "2.1.0", "runs": [run]}, sys.stdout, indent=1)
    sys.exit(any(result.get("baselineState", "new") == "new" for result in results))


main()
