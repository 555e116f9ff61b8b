import { expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";
import { homeChainOf } from "#core/chain/homeChainOf.ts";

const chains = createChainRegistry(builtinChains);
const home = (TRADING_HOME_CHAIN: string | undefined, SANDBOX: boolean) =>
	homeChainOf(chains, { TRADING_HOME_CHAIN, SANDBOX })?.id;

test("the home chain is the one that is named, else 4663; a sandbox asks for none by itself", () => {
	expect(home(undefined, false)).toBe(4663);
	expect(home(undefined, true)).toBeUndefined();
	expect([home("base", false), home("8453", true)]).toEqual([8453, 8453]);
	expect(home("nowhere", false)).toBeUndefined();
});
