import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import { type Rpc, type RpcOutcome, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { MULTICALL, type View } from "#plugins/market-index/metadata/callContract.ts";
import { callDocuments, callViews } from "#plugins/market-index/metadata/callEach.ts";
import { contractOf } from "#plugins/market-index/testing/marketFixture.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { compileRuntime } from "#test/harness/compileFixtures.ts";

const never = new AbortController().signal;
const ask = (rpc: Pick<Rpc, "settle"> & Partial<Rpc>) =>
	callViews(rpc as Rpc, [contractOf(1)], ["0x01", "0x02", "0x03"], never);

test("calls share one request, and one that reverts or returns no bytes is null alone", async () => {
	let requests = 0;
	const outcomes: RpcOutcome[] = [
		{ kind: "result", result: "0xaa" },
		{ kind: "fault", fault: rpcFault.refused() },
		{ kind: "result", result: "0x" },
	];
	const settle = async () => {
		requests++;
		return outcomes;
	};
	expect(await ask({ settle })).toEqual([["0xaa", null, null]]);
	expect(requests).toBe(1);
});

test("after a node refuses the shared request, the calls are sent one by one", async () => {
	const settle = async () => {
		throw rpcFault.refused({ detail: "batches are not allowed" });
	};
	expect(await ask({ settle, call: async () => "0xbb" })).toEqual([["0xbb", "0xbb", "0xbb"]]);
});

test("a node that does not answer is asked again later", async () => {
	const settle = async () => {
		throw rpcFault.transport();
	};
	await expect(ask({ settle })).rejects.toThrow("rpc_transport");
});

test("several contracts share the request, and each gets its own answers", async () => {
	const said = (contract: unknown, data: string) => `${String(contract)}${data.slice(2)}` as const;
	let requests = 0;
	const settle: Rpc["settle"] = async (calls) => {
		requests++;
		return calls.map(({ params: [call] }) => {
			const { to, data } = call as { to: string; data: string };
			return { kind: "result", result: said(to, data) };
		});
	};
	const contracts = [contractOf(1), contractOf(2)];
	const answers = await callViews({ settle } as Rpc, contracts, ["0x01", "0x02"], never);
	expect<unknown>(answers).toEqual(
		contracts.map((contract) => [said(contract, "0x01"), said(contract, "0x02")]),
	);
	expect(requests).toBe(1);
});

describe("on a real node, among contracts that lack a function", () => {
	const ANSWERS = "0x602a60005260206000f3";
	const REVERTS = "0x60006000fd";
	const BURNS = "0x5b600056";
	/** Answers where it has a million gas, and reverts else. */
	const NEEDS_GAS = "0x5a620f424011601357602a60005260206000f35b60006000fd";
	const NAME = "0x06fdde03";
	let anvil: Anvil;
	beforeAll(async () => {
		anvil = await startAnvil();
		await anvil.rpc("anvil_setCode", [MULTICALL, compileRuntime("Together").code]);
	});
	afterAll(() => anvil?.stop());

	/** Puts code at so many addresses; returns what was called, once these were asked. */
	async function asked(codes: readonly Hex[]) {
		const contracts = codes.map((_, index) => contractOf(5_000 + index));
		for (const [index, code] of codes.entries()) {
			await anvil.rpc("anvil_setCode", [contracts[index], code]);
		}
		const real = httpRpc({
			...{ url: anvil.url, timeoutMs: 20_000, batchMax: 100 },
			...{ concurrencyMax: 2, bodyBytesMax: 1_000_000 },
		});
		const answers = await callViews(real, contracts, [NAME], never);
		return { told: answers.map(([answer]) => Number(answer)), calls: real.stats().calls };
	}

	test("all are known after two calls, where none burns gas", async () => {
		const codes = Array.from({ length: 20 }, (_, index) => (index % 2 ? ANSWERS : REVERTS));
		const { told, calls } = await asked(codes);
		expect(told).toEqual(codes.map((code) => (code === ANSWERS ? 42 : 0)));
		// One of them asks for the code of Multicall3.
		expect(calls).toBe(3);
	});

	test("contracts behind one that burns all gas are called alone, and their answers count", async () => {
		const codes = Array.from({ length: 20 }, (_, index) => (index === 12 ? BURNS : NEEDS_GAS));
		const { told, calls } = await asked(codes);
		expect(told).toEqual(codes.map((code) => (code === NEEDS_GAS ? 42 : 0)));
		expect(calls).toBe(3 + 8);
	});
});

describe("callDocuments", () => {
	const [SHORT, LONG, DEAR, NONE] = [contractOf(1), contractOf(2), contractOf(3), contractOf(4)];
	const KIB = 1_024;

	/** Opens a node at which contracts answer with so many bytes, and need so much gas. */
	function open(sizes: Record<Address, { bytes: number; gas?: number } | null>) {
		const asked: { to: Address; gas: number; calls: number }[] = [];
		const answer = (params: readonly unknown[], calls: number): RpcOutcome => {
			const { to, gas } = params[0] as { to: Address; gas: Hex };
			asked.push({ to, gas: Number(gas), calls });
			const size = sizes[to];
			const isEnough = size && Number(gas) >= (size.gas ?? 0);
			return isEnough
				? { kind: "result", result: `0x${"ab".repeat(size.bytes)}` }
				: { kind: "fault", fault: rpcFault.refused({ meta: { reverted: true } }) };
		};
		const rpc = {
			async settle(calls, options) {
				const outcomes = calls.map(({ params }) => answer(params, calls.length));
				const sum = outcomes.reduce((bytes, one) => {
					return bytes + (one.kind === "result" ? String(one.result).length : 0);
				}, 0);
				if (sum > (options?.bodyBytesMax ?? sum)) throw rpcFault.range();
				return outcomes;
			},
			async call({ params }) {
				const outcome = answer(params, 1);
				if (outcome.kind === "fault") throw outcome.fault;
				return outcome.result;
			},
		} as Pick<Rpc, "settle" | "call"> as Rpc;
		const ask = async (contracts: readonly Address[], apart?: Set<Address>) => {
			asked.length = 0;
			const [unsure, left] = [new Set<View>(), new Set<View>()];
			const views = contracts.map((contract, id): View => ({ contract, data: `0xc87b56dd0${id}` }));
			const options = { signal: never, unsure, left, apart };
			const answers = await callDocuments(rpc, views, options);
			return views.map((view, place) => {
				if (left.has(view)) return "left";
				return unsure.has(view) ? "unsure" : (answers[place]?.length ?? 0) / 2 - 1;
			});
		};
		return { ask, asked };
	}

	test("an answer of several hundred KiB is read, alone, and once it is known never with others", async () => {
		const { ask, asked } = open({ [SHORT]: { bytes: 64 }, [LONG]: { bytes: 700 * KIB } });
		for (const together of [2, 1]) {
			expect(await ask([SHORT, LONG])).toEqual([64, 700 * KIB]);
			expect(asked[0]).toEqual({ to: SHORT, gas: 5_000_000, calls: together });
			expect(asked.at(-1)).toEqual({ to: LONG, gas: 50_000_000, calls: 1 });
		}
	});

	test("a contract whose document takes more gas than others may use is read with more", async () => {
		const { ask } = open({ [DEAR]: { bytes: 90, gas: 30_000_000 }, [NONE]: null });
		expect(await ask([DEAR, DEAR, NONE])).toEqual([90, 90, -1]);
	});

	test("a contract that starts to need more gas is noticed again after some calls", async () => {
		const sizes: Parameters<typeof open>[0] = { [DEAR]: null };
		const { ask, asked } = open(sizes);
		expect(await ask([DEAR])).toEqual([-1]);
		expect(await ask([DEAR])).toEqual([-1]);
		expect(asked).toHaveLength(1);
		sizes[DEAR] = { bytes: 90, gas: 30_000_000 };
		let calls = 0;
		while ((await ask([DEAR]))[0] !== 90) calls++;
		expect(calls).toBeLessThan(64);
	});

	test("long answers of one contract are kept apart, and others are answered without them", async () => {
		const { ask, asked } = open({ [SHORT]: { bytes: 64 }, [LONG]: { bytes: 200 * KIB } });
		const apart = new Set<Address>();
		expect(await ask([LONG, SHORT, LONG], apart)).toEqual(["unsure", 64, "unsure"]);
		expect([...apart]).toEqual([LONG]);
		expect(await ask([LONG, SHORT], new Set())).toEqual(["unsure", 64]);
		expect(asked.map(({ to }) => to)).toEqual([SHORT]);
		expect(await ask([LONG, LONG])).toEqual([200 * KIB, 200 * KIB]);
	});

	test("long answers are read as far as there is room, and the others are left for later", async () => {
		const { ask } = open({ [LONG]: { bytes: 2_000 * KIB } });
		const told = await ask(Array(16).fill(LONG));
		const read = told.filter((one) => one === 2_000 * KIB).length;
		expect(read).toBeGreaterThanOrEqual(8);
		expect(read).toBeLessThanOrEqual(12);
		expect(told.slice(read)).toEqual(Array(16 - read).fill("left"));
	});

	test("many long answers together are noticed by the first of them, and cost no other contract its answer", async () => {
		const { ask, asked } = open({ [SHORT]: { bytes: 64 }, [LONG]: { bytes: 700 * KIB } });
		const contracts = [...Array(24).fill(LONG), SHORT];
		const told = await ask(contracts);
		expect(told.at(-1)).toBe(64);
		expect(told[0]).toBe(700 * KIB);
		expect(told.slice(0, 24).every((one) => one === 700 * KIB || one === "left")).toBe(true);
		// One request of all, four that were too long, and then each once as far as there is room.
		expect(asked.filter(({ to, gas }) => to === LONG && gas === 5_000_000)).toHaveLength(24 + 4);
	});

	test("of an answer that is too long even so nothing is learned", async () => {
		const { ask } = open({ [LONG]: { bytes: 3_000 * KIB } });
		expect(await ask([LONG])).toEqual(["unsure"]);
	});
});
