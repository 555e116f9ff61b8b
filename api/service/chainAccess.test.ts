import { describe, expect, test } from "bun:test";
import { chainAccess, endpointBudgets } from "#api/service/chainAccess.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { type Chain, createChainRegistry } from "#core/chain/Chain.ts";
import { answering, fakeNode, hex } from "#core/chain/rpc/testing/fakeNode.ts";
import { coreConfig } from "#core/config/coreConfig.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import type { Fault } from "#core/fault.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";

describe("chainAccess", () => {
	const section = { owner: "core", schema: coreConfig };
	const registry = createChainRegistry(builtinChains);
	const open = (env: Environment) =>
		chainAccess(parseConfig([section], env).of(section), registry, silentLog);
	const access = (env: Environment) => open(env).indexed;
	function refusal(env: Environment): Fault {
		try {
			access(env);
		} catch (error) {
			return error as Fault;
		}
		return expect.unreachable();
	}

	describe("refusals", () => {
		test("the error for a service without CHAINS names the variable and a value that needs no endpoints", () => {
			for (const CHAINS of [undefined, "", " , "]) {
				const failed = refusal({ CHAINS });
				expect(failed).toMatchObject({ code: "chains_missing", retry: "never" });
				expect(failed.publicDetail).toContain("CHAINS=base,ethereum");
				expect(failed.publicDetail).toContain("bun run up");
			}
		});

		test("the error for an unknown chain names it, and lists the known ones", () => {
			const failed = refusal({ CHAINS: "base,bsae" });
			expect(failed).toMatchObject({ code: "chain_unknown", retry: "never" });
			expect(failed.publicDetail).toContain('"bsae"');
			expect(failed.publicDetail).toContain("ethereum");
		});

		test("endpoints of an undefined chain are refused, with the chain's name", () => {
			const CHAIN_RPC_URLS_JSON = JSON.stringify({ bsae: ["https://x.example"] });
			const fault = refusal({ CHAINS: "base", CHAIN_RPC_URLS_JSON });
			expect(fault.code).toBe("chain_unknown");
			expect(fault.publicDetail).toContain('CHAIN_RPC_URLS_JSON names "bsae"');
		});

		test("a chain with only WebSocket endpoints is refused, because no call could be sent", () => {
			const CHAIN_RPC_URLS_JSON = JSON.stringify({ base: ["wss://x.example"] });
			expect(refusal({ CHAINS: "base", CHAIN_RPC_URLS_JSON }).code).toBe("rpc_missing");
		});
	});

	describe("access", () => {
		test("[ING-14] a quorum larger than the chain's number of endpoints is refused at the start", () => {
			const urls = ["https://x.example", "https://x.example", "wss://y.example"];
			const CHAIN_RPC_URLS_JSON = JSON.stringify({ base: urls });
			const failed = refusal({ CHAINS: "base", CHAIN_RPC_URLS_JSON, RPC_QUORUM: "2" });
			expect(failed).toMatchObject({ code: "rpc_missing", retry: "never" });
			expect(failed.publicDetail).toContain("RPC_QUORUM is 2");
			expect(failed.publicDetail).toContain('"base" has 1 different');
		});

		test("[ING-14] endpoints are called no faster than allowed, and their calls are counted", async () => {
			const node = fakeNode({ chainId: 8453 });
			const metrics = createMetrics();
			const env = {
				CHAINS: "base",
				CHAIN_RPC_URLS_JSON: JSON.stringify({ base: node.url }),
				RPC_REQUESTS_PER_SECOND_MAX: "40",
			};
			const config = parseConfig([section], env).of(section);
			const [base] = chainAccess(config, registry, silentLog, { metrics }).indexed;
			const beganMs = performance.now();
			const calls = Array.from({ length: 4 }, () => ({ method: "eth_blockNumber", params: [] }));
			for (const call of calls) await base?.rpcFor("live").call(call);
			// Five requests, the first of which asks which chain it is: four distances of 25 ms.
			expect(performance.now() - beganMs).toBeGreaterThan(90);
			const { host } = new URL(node.url);
			expect((await metrics.expose()).body).toContain(
				`tapeline_rpc_requests_total{chain="base",endpoint="${host}",outcome="ok"} 5`,
			);
			base?.onSocketCall?.({ method: "eth_subscribe", bytes: 40, host: "x" });
			for (const [method, purpose] of [
				["eth_blockNumber", "live"],
				["eth_subscribe", "heads"],
			]) {
				expect((await metrics.expose()).body).toContain(
					`tapeline_rpc_calls_total{chain="base",method="${method}",purpose="${purpose}"}`,
				);
			}
			await node.stop();
		});

		test("large answers are requested if calls are billed: by a provider, or by prices that the operator set", () => {
			const isScarce = (url: string, env: Environment = {}) => {
				const CHAIN_RPC_URLS_JSON = JSON.stringify({ base: [url] });
				const [chain] = access({ CHAINS: "base", CHAIN_RPC_URLS_JSON, ...env });
				return chain?.rpcFor("catch_up").isScarce?.();
			};
			const own = [
				"http://127.0.0.1:8545",
				"http://erigon:8545",
				"http://10.0.0.7",
				"http://[::1]:1",
			];
			expect(own.map((url) => isScarce(url))).toEqual(own.map(() => false));
			expect(isScarce("https://base.example.com/key")).toBe(true);
			const priced = { CHAIN_RPC_COMPUTE_UNITS_JSON: '{"*":1}' };
			expect(isScarce("http://127.0.0.1:8545", priced)).toBe(true);
		});

		test("the chains of CHAINS keep its order, each once, by slug, alias or id", () => {
			const chains = access({ CHAINS: "matic,8453,ethereum,base,polygon" });
			expect(chains.map(({ chain }) => chain.slug)).toEqual(["polygon", "base", "ethereum"]);
		});

		test("[ING-14] every configured endpoint of a chain is used, under any name of the chain", async () => {
			const away = fakeNode();
			away.answer = () => new Response("away", { status: 503 });
			const node = fakeNode();
			node.answer = answering(({ method }) => (method === "eth_chainId" ? hex(8453) : "0x7"));
			for (const name of ["base", "8453", "BASE"]) {
				const [base] = access({
					CHAINS: "base",
					CHAIN_RPC_URLS_JSON: JSON.stringify({ [name]: [away.url, node.url, node.wsUrl] }),
				});
				expect(await base?.rpcFor("live").call({ method: "eth_blockNumber", params: [] })).toBe(
					"0x7",
				);
				expect(base?.headUrls).toEqual([node.wsUrl]);
			}
			await Promise.all([away.stop(), node.stop()]);
		});

		test("a chain without configured endpoints uses its public ones", () => {
			const [base] = access({ CHAINS: "base" });
			const sockets = base?.chain.publicRpcUrls.filter((url) => url.startsWith("ws"));
			expect(base?.headUrls).toEqual(sockets ?? []);
		});
	});

	describe("reached chains", () => {
		const slugs = (env: Environment) => open(env).reached.map(({ chain }) => chain.slug);
		const named = (urls: object) => JSON.stringify(urls);

		test("the reached chains are those of CHAINS, those with endpoints and the home chain, each once", () => {
			const CHAIN_RPC_URLS_JSON = named({
				optimism: "http://127.0.0.1:1",
				8453: "http://127.0.0.1:2",
				op: "http://127.0.0.1:3",
			});
			const opened = open({ CHAINS: "ethereum,base", CHAIN_RPC_URLS_JSON });
			expect(opened.indexed.map(({ chain }) => chain.slug)).toEqual(["ethereum", "base"]);
			expect(opened.reached.slice(0, 2)).toEqual([...opened.indexed]);
			const all = ["ethereum", "base", "optimism", "robinhood"];
			expect(slugs({ CHAINS: "ethereum,base", CHAIN_RPC_URLS_JSON })).toEqual(all);
			expect(slugs({ CHAINS: "robinhood" })).toEqual(["robinhood"]);
		});

		test("the reached chains include the named home chain; a sandbox has only those that it names", () => {
			const env = { CHAINS: "base", TRADING_HOME_CHAIN: "Optimism" };
			expect(slugs(env)).toEqual(["base", "optimism"]);
			expect(slugs({ ...env, TRADING_HOME_CHAIN: "nowhere" })).toEqual(["base"]);
			expect(slugs({ CHAINS: "base", SANDBOX: "true" })).toEqual(["base"]);
			const CHAIN_RPC_URLS_JSON = named({ 4663: "http://127.0.0.1:1" });
			expect(slugs({ CHAINS: "base", SANDBOX: "true", CHAIN_RPC_URLS_JSON })).toEqual([
				"base",
				"robinhood",
			]);
		});

		test("a reached chain may have fewer endpoints than a quorum, but needs one for calls", () => {
			const two = ["http://127.0.0.1:1", "http://127.0.0.1:2"];
			const env = (optimism: string) => ({
				CHAINS: "base",
				RPC_QUORUM: "2",
				CHAIN_RPC_URLS_JSON: named({ base: two, optimism }),
			});
			const { reached } = open(env("http://127.0.0.1:3"));
			expect(reached.map(({ quorum }) => quorum)).toEqual([2, 1, 2]);
			expect(refusal(env("ws://127.0.0.1:3")).code).toBe("rpc_missing");
		});
	});
});

describe("endpointBudgets", () => {
	const base = builtinChains.find(({ slug }) => slug === "base") as Chain;
	const urls = ["https://one.example/key", "https://two.example:8443"];

	function budgets(CHAIN_RPC_CALLS_PER_SECOND: Record<string, number>) {
		return endpointBudgets(base, urls, {
			config: { CHAIN_RPC_CALLS_PER_SECOND },
			chains: createChainRegistry(builtinChains),
			clock: { nowMs: () => 1_000_000 },
			db: () => null,
		});
	}
	/** Whether a batch goes whole at once, or has to take turns. */
	const isFree = (taken: number | Promise<number> | undefined) => taken === 250;
	const freedom = (rates: Record<string, number>) => {
		const { of } = budgets(rates);
		return urls.map((url) => isFree(of(url)?.take(250, { rank: 3 })));
	};

	test("a host's setting applies to that endpoint, a chain's to all of its endpoints, * to the rest", () => {
		expect(freedom({})).toEqual([true, true]);
		expect(freedom({ "*": 100 })).toEqual([false, false]);
		expect(freedom({ "8453": 100 })).toEqual([false, false]);
		expect(freedom({ base: 100 })).toEqual([false, false]);
		expect(freedom({ "one.example": 100 })).toEqual([false, true]);
		expect(freedom({ "two.example:8443": 100 })).toEqual([true, false]);
		expect(freedom({ ethereum: 100, "other.example": 5 })).toEqual([true, true]);
	});

	test("an endpoint that is not one of the chain's has no budget", () => {
		expect(budgets({}).of("https://three.example")).toBeUndefined();
		expect(() => budgets({}).spentAt("three.example")).not.toThrow();
	});
});
