import { expect, test } from "bun:test";
import { flagsAgain } from "#api/launch/flagsAgain.ts";

test("all of Bun's flags are passed on but the working directory, in each spelling", () => {
	expect(flagsAgain(["--smol", "--cwd", "./sub", "--env-file=.env.local"])).toEqual([
		"--smol",
		"--env-file=.env.local",
	]);
	expect(flagsAgain(["--cwd=./sub", "--cpu-prof"])).toEqual(["--cpu-prof"]);
	expect(flagsAgain([])).toEqual([]);
});
