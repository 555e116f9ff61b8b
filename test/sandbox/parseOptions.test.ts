import { expect, test } from "bun:test";
import { parseOptions } from "./parseOptions.ts";

test("only the directory has to be said", () => {
	expect(parseOptions(["--data-dir", "/tmp/x"])).toEqual({
		dataDir: "/tmp/x",
		seed: 7,
		paceMs: 2_000,
		historyBlocks: 420,
		port: 0,
		providerPort: 0,
		providerKey: "",
		walletProviderPort: 0,
	});
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
