import { expect, test } from "bun:test";
import { wantsHelp } from "#api/cli/wantsHelp.ts";

test("without arguments a command does its work; with --help or -h it only explains itself", () => {
	expect(wantsHelp([], "help")).toBe(false);
	expect(wantsHelp(["--help"], "help")).toBe(true);
	expect(wantsHelp(["-h"], "help")).toBe(true);
});

test("an argument nobody knows is refused with the help, also beside --help: nothing starts", () => {
	for (const args of [
		["--port", "5000"],
		["--help", "me"],
	]) {
		expect(() => wantsHelp(args, "bun run up")).toThrow(
			expect.objectContaining({
				code: "usage",
				publicDetail: expect.stringContaining("bun run up"),
			}),
		);
	}
});
