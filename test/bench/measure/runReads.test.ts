import { expect, test } from "bun:test";
import { compareReads } from "#test/bench/measure/runReads.ts";

test("both sizes get the same requests in turn, and the warm-up is not counted", async () => {
	const asked: string[] = [];
	const ask = (size: string) => async (path: string) => {
		asked.push(`${size} ${path}`);
		return "";
	};
	const paths = [{ name: "page", of: (turn: number) => `/${turn % 2}` }];
	const asks = { small: ask("small"), large: ask("large") };
	const [compared] = await compareReads(asks, paths, { callsMin: 3 });
	expect(asked).toHaveLength(2 * 23);
	expect(asked.slice(0, 4)).toEqual(["small /0", "large /0", "small /1", "large /1"]);
	expect(compared?.calls).toBe(3);
	expect(compared?.p99Ratio).toBe((compared?.large.p99Ms ?? 0) / (compared?.small.p99Ms ?? 0));
});

test("a fast read is repeated more often, up to a limit", async () => {
	const paths = [{ name: "page", of: () => "/" }];
	const quick = async () => "";
	const calls = { callsMin: 3, callsMax: 50 };
	const [compared] = await compareReads({ small: quick, large: quick }, paths, calls);
	expect(compared?.calls).toBe(50);
});
