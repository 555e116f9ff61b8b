import { zeroAddress } from "viem";
import { USDG } from "./bridgeOf.ts";
import { createMessenger, type Messenger } from "./createMessenger.ts";
import type { BridgeEmulator } from "./startBridgeEmulator.ts";

/** A token that crosses by itself, as BRIDGE_DIRECT_JSON takes it. */
export type DirectTokens = { symbol: string; ends: Record<string, { eid: number; oft: string }> }[];

const MARKET = { id: 31_337, eid: 30_101 };
const HOME = { id: 4_663, eid: 30_416 };
/** The token's contract, at the same address on both chains. */
const OFT = "0x000000000000000000000000000000000000f701";
const POLL_MS = 500;

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
