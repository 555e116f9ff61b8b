import { expect, test } from "bun:test";
import { flagsAgain } from "#api/launch/launch.ts";

test("all of Bun's flags except the working directory are passed on, in each spelling", () => {
	expect(flagsAgain(["--smol", "--cwd", "./sub", "--env-file=.env.local"])).toEqual([
		"--smol",
		"--env-file=.env.local",
	]);
	expect(flagsAgain(["--cwd=./sub", "--cpu-prof"])).toEqual(["--cpu-prof"]);
	expect(flagsAgain([])).toEqual([]);
});
