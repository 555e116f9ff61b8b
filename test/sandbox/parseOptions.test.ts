import { expect, test } from "bun:test";
import { parseOptions } from "./parseOptions.ts";

test("the directory is the only required option", () => {
	expect(parseOptions(["--data-dir", "/tmp/x"])).toEqual({
		dataDir: "/tmp/x",
		seed: 7,
		paceMs: 2_000,
		historyBlocks: 420,
		port: 0,
		providerPort: 0,
		providerKey: "",
		walletProviderPort: 0,
		bridgePort: 0,
		modelPort: 0,
		studioPort: 0,
		socialPort: 0,
		issuerPort: 0,
		routerPort: 0,
	});
});

test("the length of the history may come from the environment, and that is printed", () => {
	const env = { SANDBOX_HISTORY_BLOCKS: "120" };
	expect(parseOptions(["--data-dir", "x"], env).historyBlocks).toBe(120);
	expect(parseOptions(["--data-dir", "x", "--history-blocks", "40"], env).historyBlocks).toBe(40);
	expect(() => parseOptions(["--data-dir", "x"], { SANDBOX_HISTORY_BLOCKS: "7" })).toThrow();
});

for (const wrong of [
	[],
	["--data-dir", "x", "--seed", "moss"],
	["--data-dir", "x", "--pace", "1"],
]) {
	test(`refuses "${wrong.join(" ")}"`, () => {
		expect(() => parseOptions(wrong)).toThrow();
	});
}
