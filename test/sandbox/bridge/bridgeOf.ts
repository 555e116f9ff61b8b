// Starts the bridge of the sandbox, between its chains.

import { renameSync, rmSync } from "node:fs";
import { type Address, zeroAddress } from "viem";
import { compileContracts } from "../compileContracts.ts";
import { type Rpc, readHead } from "../createRpc.ts";
import { chainFile } from "../savedState.ts";
import { type Anvil, startAnvil } from "../startAnvil.ts";
import { createMessenger, type Messenger } from "./createMessenger.ts";
import { type BridgeEmulator, startBridgeEmulator } from "./startBridgeEmulator.ts";

/** A token that crosses by itself, as BRIDGE_DIRECT_JSON takes it. */
export type DirectTokens = { symbol: string; ends: Record<string, { eid: number; oft: string }> }[];

export type StableOptions = { dataDir: string; nowMs(): number; say(line: string): void };

/** The sandbox's chain 988: bridges of 'DEGEN 2 STABLE' end there, and nothing else happens. */
export type Stable = { anvil: Anvil; save(): Promise<void> };

/** Where USDG is on the real 4663. */
export const USDG: Address = "0x5fc5360d0400a0fd4f2af552add042d716f1d168";
/** The stablecoin of 988 as a token. The real chain's coin is the same money. */
export const USDT0: Address = "0x779ded0c9e1022225f8e0630b35a9b54be713736";
/** Names the dollar token on chain 4663 that moves by its owner's signature (EIP-3009). */
export const SIGNED_DOLLAR: Address = "0x000000000000000000000000000000000000f702";
const ETH_USD_MICROS = 2_500_000_000n;
const DOLLAR_MICROS = 1_000_000n;

const MARKET = { id: 31_337, eid: 30_101 };
const HOME = { id: 4_663, eid: 30_416 };
/** The token's contract, at the same address on both chains. */
const OFT = "0x000000000000000000000000000000000000f701";
const POLL_MS = 500;

const STABLE_ID = 988;
/** Nobody of the cast sends from there. */
const ACCOUNTS = 1;

/**
 * Starts the bridge of the sandbox: between the market's chain and 4663, in ether on both and in a
 * dollar on each, and to 988 in its stablecoin. Where a dollar is not there yet, one that anybody
 * mints is placed there.
 */
export async function bridgeOf(options: {
	market: Rpc;
	home: Rpc;
	stable: Rpc;
	/** The market's own dollar. */
	coin: Address;
	port: number;
}): Promise<BridgeEmulator> {
	const { market, home, stable, coin, port } = options;
	for (const [rpc, token] of [
		[home, USDG],
		[home, SIGNED_DOLLAR],
		[stable, USDT0],
	] as const) {
		if ((await rpc.call("eth_getCode", [token, "latest"])) !== "0x") continue;
		await rpc.call("anvil_setCode", [token, compileContracts().SandboxDollar.runtime]);
	}
	const ether = {
		...{ address: zeroAddress, symbol: "ETH", name: "Ether", decimals: 18 },
		usdMicros: ETH_USD_MICROS,
	};
	const dollar = (address: Address, symbol: string, name: string) => {
		return { address: address.toLowerCase() as Address, symbol, name, decimals: 6 };
	};
	return await startBridgeEmulator({
		port,
		chains: [
			{
				...{ id: 31_337, rpcUrl: market.url, name: "anvil" },
				currencies: [
					ether,
					{ ...dollar(coin, "LNTRN", "Lantern Credit"), usdMicros: DOLLAR_MICROS },
				],
			},
			{
				...{ id: 4_663, rpcUrl: home.url, name: "robinhood" },
				currencies: [
					ether,
					{ ...dollar(USDG, "USDG", "Global Dollar"), usdMicros: DOLLAR_MICROS },
					{
						...{ ...dollar(SIGNED_DOLLAR, "PUSD", "Global Dollar"), supportsPermit: true },
						usdMicros: DOLLAR_MICROS,
					},
				],
			},
			{
				...{ id: 988, rpcUrl: stable.url, name: "stable" },
				currencies: [
					{
						...{ address: zeroAddress, symbol: "USDT0", name: "USDT0", decimals: 18 },
						usdMicros: DOLLAR_MICROS,
					},
					{ ...dollar(USDT0, "USDT0", "USDT0"), usdMicros: DOLLAR_MICROS },
				],
			},
		],
	});
}

/**
 * Opens the sandbox's direct way: the home chain's dollar crosses to the market's chain by its own
 * messages, and back. It sends nothing for that: no chain need mine before it is told.
 */
export async function openDirect(
	bridge: Pick<BridgeEmulator, "chains">,
): Promise<Messenger & { tokens: DirectTokens }> {
	const chainOf = (id: number) => {
		const found = bridge.chains.find((chain) => chain.id === id);
		if (!found) throw new Error(`the bridge has no chain ${id}`);
		return found;
	};
	const messenger = await createMessenger(
		[
			{ chain: chainOf(MARKET.id), eid: MARKET.eid, inner: zeroAddress, at: OFT },
			{ chain: chainOf(HOME.id), eid: HOME.eid, inner: USDG, at: OFT },
		],
		{ pollMs: POLL_MS },
	);
	const ends = Object.fromEntries(
		[MARKET, HOME].map(({ id, eid }) => [id, { eid, oft: OFT }] as const),
	);
	return { ...messenger, tokens: [{ symbol: "USDG", ends }] };
}

/**
 * Opens chain 988 of the data directory: continued where it was, so that what arrived stays there,
 * or begun. A block comes with each transaction and no other, so it costs nothing while it rests.
 */
export async function openStable(options: StableOptions): Promise<Stable> {
	const { dataDir, nowMs } = options;
	const place = { dataDir, name: "stable" };
	const anvil = (await continued(options, place)) ?? (await begun(nowMs));
	await anvil.rpc.call("evm_setAutomine", [true]);
	return { anvil, save: () => chainFile.write(anvil.rpc, { ...place, world: null }) };
}

/** Null where there is none, or none that can be used. */
async function continued(
	{ say }: StableOptions,
	place: { dataDir: string; name: string },
): Promise<Anvil | null> {
	const found = chainFile.read(place);
	if (found.kind === "none") return null;
	let anvil: Anvil | null = null;
	if (found.kind === "found") {
		anvil = await start({ stateFile: found.stateFile }).catch(() => null);
		rmSync(found.stateFile, { force: true });
		const head = anvil && (await readHead(anvil.rpc).catch(() => null));
		if (anvil && head?.hash === found.headHash) return anvil;
	}
	await anvil?.stop();
	const file = chainFile.pathOf(place);
	say(`the saved chain ${STABLE_ID} cannot be used; it is kept as ${file}.broken`);
	renameSync(file, `${file}.broken`);
	return null;
}

function start(from: { stateFile: string } | { genesisTimeS: number }): Promise<Anvil> {
	return startAnvil({ accounts: ACCOUNTS, chainId: STABLE_ID, ...from });
}

async function begun(nowMs: () => number): Promise<Anvil> {
	const anvil = await start({ genesisTimeS: Math.floor(nowMs() / 1_000) });
	await anvil.rpc.call("evm_mine", []);
	return anvil;
}
