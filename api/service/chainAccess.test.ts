import { describe, expect, test } from "bun:test";
import { chainAccess } from "#api/service/chainAccess.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";
import { answering, fakeNode, hex } from "#core/chain/rpc/testing/fakeNode.ts";
import { coreConfig } from "#core/config/coreConfig.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import type { Fault } from "#core/fault/Fault.ts";
import { silentLog } from "#core/log/silentLog.ts";

const section = { owner: "core", schema: coreConfig };
const registry = createChainRegistry(builtinChains);
const access = (env: Environment) =>
	chainAccess(parseConfig([section], env).of(section), registry, silentLog);
function refusal(env: Environment): Fault {
	try {
		access(env);
	} catch (error) {
		return error as Fault;
	}
	return expect.unreachable();
}

describe("refusals", () => {
	test("[SEC-08] without CHAINS it says what to set, and what needs none", () => {
		for (const CHAINS of [undefined, "", " , "]) {
			const failed = refusal({ CHAINS });
			expect(failed).toMatchObject({ code: "chains_missing", retry: "never" });
			expect(failed.publicDetail).toContain("CHAINS=base,ethereum");
			expect(failed.publicDetail).toContain("bun run up");
		}
	});

	test("[SEC-08] an unknown chain is named, with those there are", () => {
		const failed = refusal({ CHAINS: "base,bsae" });
		expect(failed).toMatchObject({ code: "chain_unknown", retry: "never" });
		expect(failed.publicDetail).toContain('"bsae"');
		expect(failed.publicDetail).toContain("ethereum");
	});

	test("whose endpoints name a chain that is not defined is refused, and the name is said", () => {
		const CHAIN_RPC_URLS_JSON = JSON.stringify({ bsae: ["https://x.example"] });
		const fault = refusal({ CHAINS: "base", CHAIN_RPC_URLS_JSON });
		expect(fault.code).toBe("chain_unknown");
		expect(fault.publicDetail).toContain('CHAIN_RPC_URLS_JSON names "bsae"');
	});

	test("a chain with sockets only is refused: nothing could be asked", () => {
		const CHAIN_RPC_URLS_JSON = JSON.stringify({ base: ["wss://x.example"] });
		expect(refusal({ CHAINS: "base", CHAIN_RPC_URLS_JSON }).code).toBe("rpc_missing");
	});
});

describe("access", () => {
	test("the chains of CHAINS come in its order, each once, by slug, alias or id", () => {
		const chains = access({ CHAINS: "matic,8453,ethereum,base,polygon" });
		expect(chains.map(({ chain }) => chain.slug)).toEqual(["polygon", "base", "ethereum"]);
	});

	test("[ING-14] every configured endpoint of a chain is used, under whatever name of the chain", async () => {
		const away = fakeNode();
		away.answer = () => new Response("away", { status: 503 });
		const node = fakeNode();
		node.answer = answering(({ method }) => (method === "eth_chainId" ? hex(8453) : "0x7"));
		for (const name of ["base", "8453", "BASE"]) {
			const [base] = access({
				CHAINS: "base",
				CHAIN_RPC_URLS_JSON: JSON.stringify({ [name]: [away.url, node.url, node.wsUrl] }),
			});
			expect(await base?.rpc.call({ method: "eth_blockNumber", params: [] })).toBe("0x7");
			expect(base?.headUrls).toEqual([node.wsUrl]);
		}
		await Promise.all([away.stop(), node.stop()]);
	});

	test("a chain without configured endpoints has its public ones", () => {
		const [base] = access({ CHAINS: "base" });
		const sockets = base?.chain.publicRpcUrls.filter((url) => url.startsWith("ws"));
		expect(base?.headUrls).toEqual(sockets ?? []);
	});
});
