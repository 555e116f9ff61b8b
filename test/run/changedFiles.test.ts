import { expect, test } from "bun:test";
import { changedFiles } from "#test/run/changedFiles.ts";

/** Answers what is written down for these arguments; all else fails. */
function scripted(answers: Record<string, string>) {
	return async (args: readonly string[]) => answers[args.join(" ")] ?? null;
}

const DIFF = "diff --name-only --diff-filter=d";
const ADDED = "ls-files --others --exclude-standard";

test("what was committed since the branch began, what was changed, and what is new", async () => {
	const git = scripted({
		"merge-base HEAD main": "abc\n",
		[`${DIFF} abc`]: "core/b.ts\ncore/a.ts\n",
		[ADDED]: "core/c.test.ts\ncore/a.ts\n",
	});
	expect(await changedFiles(git)).toEqual(["core/a.ts", "core/b.ts", "core/c.test.ts"]);
});

test("the remote's branch comes first, and without any branch the last commit counts", async () => {
	const remote = scripted({
		"merge-base HEAD origin/main": "def\n",
		"merge-base HEAD main": "abc\n",
		[`${DIFF} def`]: "core/a.ts\n",
		[ADDED]: "",
	});
	expect(await changedFiles(remote)).toEqual(["core/a.ts"]);
	expect(await changedFiles(scripted({ [`${DIFF} HEAD`]: "", [ADDED]: "" }))).toEqual([]);
});

test("nobody knows without git", async () => {
	expect(await changedFiles(scripted({}))).toBeNull();
});
