import { expect, test } from "bun:test";
import { bootTree } from "#core/plugin/bootTree.ts";

test("the boot tree names each plugin, its time and what it stands on, in order", () => {
	const tree = bootTree([
		{ plugin: "chain-scanner", needs: [], setupMs: 1.4, startMs: 2 },
		{ plugin: "market", needs: ["scanner", "prices"], setupMs: 0, startMs: 12 },
	]);
	expect(tree).toBe("├─ chain-scanner  3 ms\n└─ market         12 ms  on scanner, prices");
	expect(bootTree([])).toBe("");
});
