import { describe, expect, test } from "bun:test";
import { builtinPlugins } from "#api/builtinPlugins.ts";
import { sectionsOf } from "#api/service/startService.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import { Fault } from "#core/fault.ts";
import { discoveredChains } from "#plugins/market-index/discovery/discoveryJob.ts";

// Guarantee: the service's switches are configuration. A value without a meaning stops the start
// with a sentence that names the variable, the value and what is expected.

const { all } = sectionsOf(builtinPlugins);
const TOKEN = `0x${"7A".repeat(20)}`;

/** Every switch, its default, a value as typed, the parsed value, and invalid values. */
const switches: [name: string, fallback: unknown, typed: string, is: unknown, wrong: string[]][] = [
	["NFT_SNIPE_ENABLED", true, "false", false, ["maybe", "2"]],
	["NFT_DISCOVERY_CHAINS", [], "Zora, base", ["zora", "base"], []],
	["PROVIDER_STREAM_ENABLED", false, "true", true, ["streaming"]],
	["TRADING_DRY_RUN", true, "false", false, ["dry"]],
	["ENABLE_BRIDGING", false, "true", true, ["bridges"]],
	["ENABLE_SOCIAL_BRIDGING", false, "true", true, ["x"]],
	["BRIDGE_DRY_RUN", true, "false", false, ["wet"]],
	["BRIDGE_DENIED_CHAIN_IDS", [], "1,8453", ["1", "8453"], ["base", "0", "-1", "1;2"]],
	["BUYBACK_ENABLED", false, "true", true, ["buying"]],
	["BUYBACK_BURN_ADDRESS", undefined, TOKEN, TOKEN.toLowerCase(), addresses()],
	["TOKEN_ADDRESS", undefined, TOKEN, TOKEN.toLowerCase(), addresses()],
	["REVENUE_ROUTER_ADDRESS", undefined, TOKEN, TOKEN.toLowerCase(), addresses()],
	["TOKEN_FROM_BLOCK", 0, "120", 120, ["-1", "latest", "1e30"]],
	["TOKEN_FINAL_DEPTH_BLOCKS", 64, "8", 8, ["-1", "deep"]],
];

function addresses(): string[] {
	return ["0x12", "token.eth", `0x${"0".repeat(40)}`, `${TOKEN}00`, TOKEN.slice(2)];
}

function read(env: Record<string, string>): Record<string, unknown> {
	const config = parseConfig(all, env);
	return Object.assign({}, ...all.map((section) => config.of(section)));
}

describe.each(switches)("[SEC-08] %s", (name, fallback, typed, is, wrong) => {
	test("the switch has its default, also if it is set to an empty value", () => {
		expect(read({})[name]).toEqual(fallback);
		expect(read({ [name]: "" })[name]).toEqual(fallback);
	});

	test("the switch has the typed value", () => expect(read({ [name]: typed })[name]).toEqual(is));

	for (const value of wrong) {
		test(`the switch refuses the boot for ${JSON.stringify(value)}, with the reason`, () => {
			let refused: unknown;
			try {
				read({ [name]: value });
			} catch (error) {
				refused = error;
			}
			expect(refused).toBeInstanceOf(Fault);
			const { code, privateDetail = "" } = refused as Fault;
			expect(code).toBe("config_invalid");
			expect(privateDetail).toContain(name);
			expect(privateDetail).toContain(value);
			expect(privateDetail).toMatch(/expect|true or false|whole number|address|chain ids/i);
		});
	}
});

test("[SEC-08] all wrong switches are reported together", () => {
	const env = { TRADING_DRY_RUN: "dry", BRIDGE_DRY_RUN: "wet", TOKEN_ADDRESS: "0x12" };
	try {
		read(env);
		expect.unreachable();
	} catch (error) {
		const told = error instanceof Fault ? error.privateDetail : "";
		for (const name of Object.keys(env)) expect(told).toContain(name);
	}
});

test("[SEC-08] an undefined chain to discover is refused at boot, with the known ones listed", () => {
	const chains = createChainRegistry(builtinChains);
	const discover = () => discoveredChains({ chains, indexed: [] }, ["atlantis"]);
	expect(discover).toThrow(/NFT_DISCOVERY_CHAINS names "atlantis".*Defined are: .*base/);
});
