import { describe, expect, test } from "bun:test";
import { decodeFunctionData, encodeAbiParameters, parseAbi } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import { type Rpc, type RpcCall, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { callContract } from "#plugins/market-index/metadata/callContract.ts";
import { callViews } from "#plugins/market-index/metadata/callEach.ts";
import { contractOf } from "#plugins/market-index/testing/marketFixture.ts";

describe("callContract", () => {
	const CATS = contractOf(1);
	const never = new AbortController().signal;

	function answering(answer: () => unknown) {
		const asked: RpcCall[] = [];
		const rpc: Pick<Rpc, "call"> = {
			async call(call) {
				asked.push(call);
				return answer();
			},
		};
		return {
			asked,
			call: () =>
				callContract(rpc as Rpc, { contract: CATS, data: "0x06fdde03" }, { signal: never }),
		};
	}

	test("a contract is called at the newest block, with at most 5 million gas", async () => {
		const { asked, call } = answering(() => "0x01");
		expect(await call()).toBe("0x01");
		const params = [{ to: CATS, data: "0x06fdde03", gas: "0x4c4b40" }, "latest"];
		expect(asked).toEqual([{ method: "eth_call", params }]);
		expect(Number("0x4c4b40")).toBe(5_000_000);
	});

	test("an answer that is no bytes counts as missing", async () => {
		for (const answer of ["0x", "", "0x1", "0xzz", "abcd", null, undefined, 7, ["0x01"], {}]) {
			expect(await answering(() => answer).call()).toBeNull();
		}
	});

	test("an answer above 128 KiB is refused", async () => {
		const bytes = (count: number) => `0x${"61".repeat(count)}`;
		expect(await answering(() => bytes(131_072)).call()).toHaveLength(262_146);
		expect(await answering(() => bytes(131_073)).call()).toBeNull();
		expect(await answering(() => bytes(2_000_000)).call()).toBeNull();
	});

	test("a contract that reverts has no answer, even if its message mentions limits", async () => {
		for (const refused of [rpcFault.refused(), rpcFault.range()]) {
			const { call } = answering(() => {
				throw refused;
			});
			expect(await call()).toBeNull();
		}
	});

	test("silence, a node of another chain and our own errors do not count as answers of the contract", async () => {
		for (const error of [rpcFault.transport(), rpcFault.wrongChain(), new TypeError("ours")]) {
			const { call } = answering(() => {
				throw error;
			});
			await expect(call()).rejects.toBe(error);
		}
	});
});

describe("callTogether", () => {
	const abi = parseAbi([
		"struct Call3 { address target; bool allowFailure; bytes callData; }",
		"function aggregate3(Call3[] calls) payable",
	]);
	const RESULTS = [{ type: "tuple[]", components: [{ type: "bool" }, { type: "bytes" }] }] as const;
	const never = new AbortController().signal;
	const CONTRACTS = Array.from({ length: 50 }, (_, index) => contractOf(index));
	const VIEWS: Hex[] = ["0x06fdde03", "0x18160ddd"];

	type View = { target: string; data: Hex };
	type Result = Hex | null;

	/** What a view answers on its own: its contract and itself, unless the test says otherwise. */
	const honest = ({ target, data }: View): Result =>
		`0x${target.slice(2).toLowerCase()}${data.slice(2)}`;
	const expected = CONTRACTS.map((target) => VIEWS.map((data) => honest({ target, data })));

	/** Returns a fake `Rpc`; a test says what `eth_getCode`, Multicall3 and single views answer. */
	function chainOf(options: {
		code?: () => unknown;
		together?: (views: readonly View[]) => unknown;
		alone?: (view: View) => Result;
	}) {
		const { alone = honest, code = () => "0x60806040" } = options;
		const together =
			options.together ?? ((views: readonly View[]) => pack(views.map((view) => alone(view))));
		const counts = { code: 0, together: 0, alone: 0 };
		const answer = ({ method, params }: RpcCall): unknown => {
			if (method === "eth_getCode") {
				counts.code++;
				return code();
			}
			const [{ to, data }] = params as [{ to: string; data: Hex }];
			if (to !== "0xca11bde05977b3631167028862be2a173976ca11") {
				counts.alone++;
				return alone({ target: to, data });
			}
			counts.together++;
			const [calls] = decodeFunctionData({ abi, data }).args;
			return together(calls.map(({ target, callData }) => ({ target, data: callData })));
		};
		const rpc: Pick<Rpc, "call" | "settle"> = {
			call: async (call) => answer(call),
			settle: async (calls) =>
				calls.map((call) => {
					const result = answer(call);
					if (result === null) return { kind: "fault", fault: rpcFault.refused() };
					return { kind: "result", result };
				}),
		};
		const ask = (contracts = CONTRACTS) => callViews(rpc as Rpc, contracts, VIEWS, never);
		return { rpc: rpc as Rpc, ask, counts };
	}

	function pack(results: readonly Result[]): Hex {
		return encodeAbiParameters(RESULTS, [
			results.map((data): [boolean, Hex] => [data !== null, data ?? "0x"]),
		]);
	}

	test("a hundred calls are one Multicall3 call, and whether the chain has Multicall3 is checked once", async () => {
		const { ask, counts } = chainOf({});
		expect(await ask()).toEqual(expected);
		expect(counts).toEqual({ code: 1, together: 1, alone: 0 });
		expect(await ask()).toEqual(expected);
		expect(counts).toEqual({ code: 1, together: 2, alone: 0 });
	});

	test("a few calls are sent one by one, without a check for Multicall3", async () => {
		const { ask, counts } = chainOf({});
		expect(await ask(CONTRACTS.slice(0, 3))).toEqual(expected.slice(0, 3));
		expect(counts).toEqual({ code: 0, together: 0, alone: 6 });
	});

	test("a chain without Multicall3 gets single calls, and is checked again now and then", async () => {
		let code = "0x";
		const { ask, counts } = chainOf({ code: () => code });
		for (let turn = 0; turn < 255; turn++) await ask(CONTRACTS.slice(0, 4));
		expect(counts).toMatchObject({ code: 1, together: 0 });
		code = "0x6080";
		for (let turn = 0; turn < 3; turn++) await ask(CONTRACTS.slice(0, 4));
		expect(counts.code).toBe(2);
		expect(counts.together).toBeGreaterThan(0);
	});

	test("functions that contracts lack cost one more call in all, once it is proven that gas was left", async () => {
		const { ask, counts } = chainOf({
			alone: (view) => (view.data === VIEWS[1] ? null : honest(view)),
		});
		expect(await ask()).toEqual(expected.map(([name = null]) => [name, null]));
		expect(counts).toEqual({ code: 1, together: 2, alone: 0 });
	});

	test("a call that fails among others is repeated alone, because another may have used the gas", async () => {
		// The tenth contract leaves no gas for whoever comes behind it.
		const { ask, counts } = chainOf({
			together: (views) => {
				const burner = views.findIndex(({ target }) => target.toLowerCase() === CONTRACTS[30]);
				return pack(views.map((view, index) => (index < burner ? honest(view) : null)));
			},
		});
		expect(await ask()).toEqual(expected);
		expect(counts).toEqual({ code: 1, together: 2, alone: 40 });
	});

	test("a function that its contract lacks gives null, and the other calls are not affected", async () => {
		const { ask } = chainOf({
			alone: (view) => (view.target.toLowerCase() === CONTRACTS[7] ? null : honest(view)),
		});
		const answers = await ask();
		expect(answers[7]).toEqual([null, null]);
		expect(answers.toSpliced(7, 1)).toEqual(expected.toSpliced(7, 1));
	});

	/** The same function of one contract for so many tokens. */
	const tokens = (count: number) =>
		Array.from({ length: count }, (_, id): Hex => `0xc87b56dd${id.toString(16).padStart(64, "0")}`);

	test("a contract without the function costs one more call, however many tokens it has", async () => {
		const { rpc, counts } = chainOf({ alone: () => null });
		const answers = await callViews(rpc, [contractOf(1)], tokens(100), never);
		expect(answers).toEqual([new Array(100).fill(null)]);
		expect(counts).toEqual({ code: 1, together: 1, alone: 1 });
	});

	test("after tokens failed alone repeatedly, others are not repeated alone, until one answers", async () => {
		let isRevealed = false;
		const { rpc, counts } = chainOf({ alone: () => (isRevealed ? "0xaa" : null) });
		const ask = async () => (await callViews(rpc, [contractOf(1)], tokens(100), never))[0];
		for (let turn = 0; turn < 3; turn++) expect(await ask()).toEqual(new Array(100).fill(null));
		expect(counts).toEqual({ code: 1, together: 3, alone: 1 });
		isRevealed = true;
		expect(await ask()).toEqual(new Array(100).fill("0xaa"));
		isRevealed = false;
		expect(await ask()).toEqual(new Array(100).fill(null));
		expect(counts).toEqual({ code: 1, together: 5, alone: 2 });
	});

	test("all tokens are repeated alone if the first one answers alone", async () => {
		const { rpc, counts } = chainOf({ together: (views) => pack(views.map(() => null)) });
		const [answers = []] = await callViews(rpc, [contractOf(1)], tokens(100), never);
		expect(answers.every((answer) => answer !== null)).toBe(true);
		expect(counts).toEqual({ code: 1, together: 2, alone: 100 });
	});

	test("a token whose answer is missing does not affect the others", async () => {
		const [first, ...others] = tokens(100);
		const { rpc, counts } = chainOf({ alone: (view) => (view.data === first ? null : "0xaa") });
		const [answers = []] = await callViews(rpc, [contractOf(1)], tokens(100), never);
		expect(answers).toEqual([null, ...others.map(() => "0xaa" as const)]);
		expect(counts).toEqual({ code: 1, together: 1, alone: 1 });
	});

	const lies: Record<string, unknown> = {
		"too few results": pack([honest({ target: "0x11", data: "0x22" })]),
		"no bytes": "0x",
		"no text": 7,
		nothing: null,
		"bytes of something else": `0x${"ff".repeat(96)}`,
		"a list of a length that cannot be": `0x${"20".padStart(64, "0")}${"f".repeat(64)}`,
	};
	for (const [what, lie] of Object.entries(lies)) {
		test(`a contract that answers ${what} gets single calls, and is soon left out of shared ones`, async () => {
			const { ask, counts } = chainOf({ together: () => lie });
			for (let turn = 0; turn < 12; turn++) expect(await ask()).toEqual(expected);
			expect(counts.together).toBeLessThan(8);
			expect(counts.alone).toBe(12 * 100);
		});
	}

	test("after a node refuses a large call, single calls are sent, and the next one is smaller", async () => {
		const sizes: number[] = [];
		const { ask } = chainOf({
			together: (views) => {
				sizes.push(views.length);
				if (views.length > 30) throw rpcFault.refused({ detail: "out of gas" });
				return pack(views.map(honest));
			},
		});
		for (let turn = 0; turn < 3; turn++) expect(await ask()).toEqual(expected);
		expect(sizes.slice(0, 3)).toEqual([100, 50, 25]);
	});

	test("a node that does not answer is asked again later, by the job that reads it next", async () => {
		const { ask } = chainOf({
			together: () => {
				throw rpcFault.transport();
			},
		});
		await expect(ask()).rejects.toThrow("rpc_transport");
	});
});
