import { expect, test } from "bun:test";
import type { Rpc, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import { createLocalQuoter, findRoutes } from "#plugins/trading/quotes/createLocalQuoter.ts";
import { encodePath, type QuoteAsk } from "#plugins/trading/quotes/QuoteSource.ts";
import { createV4Quoter } from "#plugins/trading/quotes/v4Quoter.ts";
import type { Pool } from "#plugins/trading/registry/createAssets.ts";

const token = (digit: string) => `0x${digit.repeat(40)}` as const;
const [STOCK, WETH, USDG, OTHER] = [token("1"), token("2"), token("3"), token("4")];
const connectors = [WETH, USDG];
let pools = 0;
const pool = (one: Pool["token0"], other: Pool["token0"], change: Partial<Pool> = {}): Pool => {
	pools++;
	const address: Pool["token0"] = `0x${String(pools).padStart(40, "d")}`;
	const [token0, token1] = one < other ? [one, other] : [other, one];
	return { address, token0, token1, feeBps100: 3_000, liquidity: 1n, version: "v3", ...change };
};
const waysOf = (known: readonly Pool[], tokenIn: Pool["token0"], tokenOut: Pool["token0"]) =>
	findRoutes(known, { tokenIn, tokenOut, connectors }).map((hops) =>
		[hops[0]?.tokenIn, ...hops.map((hop) => hop.tokenOut)].map((text) => text?.[2]).join(""),
	);

test("routes lead directly, or through the coin and the dollar, short ones first", () => {
	const known = [pool(STOCK, WETH), pool(WETH, USDG), pool(USDG, STOCK)];
	expect(waysOf(known, USDG, STOCK)).toEqual(["31", "321"]);
	expect(waysOf([...known, pool(USDG, OTHER)], STOCK, OTHER)).toEqual(["134", "1234"]);
	expect(waysOf(known, STOCK, STOCK)).toEqual([]);
	expect(waysOf(known, STOCK, OTHER)).toEqual([]);
});

test("no route leads through a token that is no connector, or a pool of another version", () => {
	expect(waysOf([pool(USDG, OTHER), pool(OTHER, STOCK)], USDG, STOCK)).toEqual([]);
	expect(waysOf([pool(USDG, STOCK, { version: "v4" })], USDG, STOCK)).toEqual([]);
});

test("a quote tries the first three pools of a pair, and at most twelve routes", () => {
	const fees = [100, 500, 3_000, 10_000, 950_000];
	const many = fees.flatMap((feeBps100) => [
		...[pool(USDG, STOCK, { feeBps100 }), pool(USDG, WETH, { feeBps100 })],
		pool(WETH, STOCK, { feeBps100 }),
	]);
	const routes = findRoutes(many, { tokenIn: USDG, tokenOut: STOCK, connectors });
	expect(routes).toHaveLength(12);
	expect(routes.slice(0, 3).map(([hop]) => hop?.fee)).toEqual([100, 500, 3_000]);
});

test("a path is written forward for an exact input and backward for an exact output", () => {
	const known = [pool(USDG, WETH, { feeBps100: 500 }), pool(WETH, STOCK)];
	const [route = []] = findRoutes(known, { tokenIn: USDG, tokenOut: STOCK, connectors });
	const [usdg, weth, stock] = [USDG, WETH, STOCK].map((text) => text.slice(2));
	expect(encodePath(route, "in")).toBe(`0x${usdg}0001f4${weth}000bb8${stock}`);
	expect(encodePath(route, "out")).toBe(`0x${stock}000bb8${weth}0001f4${usdg}`);
	expect(encodePath([], "in")).toBe("0x");
});

test("an invalid answer counts as a silent quoter, not as one that found no route", async () => {
	const ask: QuoteAsk = {
		...{ chainId: 4663, tokenIn: USDG, tokenOut: STOCK, isNativeIn: false, isNativeOut: false },
		...{ exact: "in", amountRaw: 1_000n, taker: OTHER },
	};
	const reverted: RpcOutcome = { kind: "fault", fault: rpcFault.refused() };
	const told = (result: unknown): RpcOutcome => ({ kind: "result", result });
	const askWith = async (answer: RpcOutcome) => {
		const settle: Rpc["settle"] = async (calls) =>
			calls.map(({ method }) => (method === "eth_blockNumber" ? told("0x7") : answer));
		const local = createLocalQuoter({
			...{ rpc: { settle }, quoter: OTHER, connectors: () => connectors },
			pools: () => [pool(USDG, STOCK)],
		});
		const v4 = createV4Quoter({
			...{ rpc: { settle }, quoter: OTHER },
			pools: [{ tokens: [USDG, STOCK], fee: 500, tickSpacing: 10, hooks: OTHER }],
		});
		const { signal } = new AbortController();
		const codes = [local, v4].map((source) =>
			source.ask(ask, signal).then(
				() => "a route",
				({ code }) => code,
			),
		);
		return Promise.all(codes);
	};
	expect(await askWith(reverted)).toEqual(["no_route", "no_route"]);
	for (const answer of ["0x", "0x1234", `0x${"f".repeat(64)}`, null, 7]) {
		expect({ answer, codes: await askWith(told(answer)) }).toEqual({
			...{ answer, codes: ["chain_unavailable", "chain_unavailable"] },
		});
	}
});
