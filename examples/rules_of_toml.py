"""rules_of_toml: turns a secret scanner's TOML, whose rules have an id and a regex, into a file for --rules.

    python3 rules_of_toml.py scanner.toml >rules.txt

A rule without a regex, or with one that has a newline, is left out with a message.
"""

import sys

import tomllib


def main():
    with open(sys.argv[1], "rb") as file:
        rules = tomllib.load(file).get("rules", [])
    for rule in rules:
        name, expression = rule.get("id", ""), rule.get("regex", "")
        if name and expression and not set(name + expression) & set("\n\r"):
            print(name.replace("\t", " "), expression, sep="\t")
        else:
            print(f"{sys.argv[1]}: left out: {name or rule}", file=sys.stderr)


main()
