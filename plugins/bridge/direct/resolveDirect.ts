import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";
import type { BridgeContext } from "#plugins/bridge/BridgeContext.ts";
import { oftEndOf, oftReader } from "#plugins/bridge/direct/oft.ts";
import type { DirectEnds } from "#plugins/bridge/direct/quoteDirect.ts";
import type { RelayChain } from "#plugins/bridge/relay/Relay.ts";
import type { BridgeRequest } from "#plugins/bridge/sql/bridges.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

type Currency = { address: Address; symbol: string; decimals: number };
type Found = { ends: DirectEnds; from: Currency; as: Currency } | { denial: Denial };

const DECIMALS_CALL = "0x313ce567";
const decimalsWord = z
	.string()
	.regex(/^0x0{62}[0-9a-fA-F]{2}$/)
	.transform(Number);

/**
 * Finds the token that a direct bridge is about among those that the deployment names, by its
 * symbol or its address on the origin chain. It is one token: `as` may only say the same again.
 */
export async function resolveDirect(
	{ readers, settings }: BridgeContext,
	given: {
		request: BridgeRequest;
		origin: RelayChain;
		destination: RelayChain;
		signal: AbortSignal;
	},
): Promise<Found> {
	const { request, origin, destination, signal } = given;
	const wanted = request.currency.replace(/^\$/, "").toLowerCase();
	for (const token of settings.directTokens) {
		const from = oftEndOf(token, origin.id);
		const to = oftEndOf(token, destination.id);
		const here = readers.of(origin.id, null);
		const there = readers.of(destination.id, destination.httpRpcUrl);
		if (!from || !to || !here || !there) continue;
		try {
			const [address, arrives] = await Promise.all([
				oftReader(here, from.oft, signal).token(),
				oftReader(there, to.oft, signal).token(),
			]);
			if (![token.symbol.toLowerCase(), address].includes(wanted)) continue;
			const as = request.as?.replace(/^\$/, "").toLowerCase();
			if (as !== undefined && ![token.symbol.toLowerCase(), arrives].includes(as)) {
				return denied("currency_unknown", "A direct bridge brings the same token.");
			}
			const decimalsOf = async (read: typeof here, to: Address) =>
				decimalsWord.parse(await read("eth_call", [{ to, data: DECIMALS_CALL }, "latest"], signal));
			const [decimals, decimalsThere] = await Promise.all([
				decimalsOf(here, address),
				decimalsOf(there, arrives),
			]);
			// The contracts would round what one of both cannot hold.
			if (decimals !== decimalsThere) break;
			const { symbol } = token;
			return {
				ends: { from, to },
				from: { address, symbol, decimals },
				as: { address: arrives, symbol, decimals },
			};
		} catch {
			return denied("chain_unavailable", "The token's contracts cannot be read now.");
		}
	}
	return denied("mode_unsupported", "Nobody here knows a direct way for that token.");
}

function denied(code: string, detail: string): Found {
	return { denial: { code, detail } };
}
