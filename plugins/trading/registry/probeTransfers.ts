import { hexBytes } from "#core/chain/abi/hexBytes.ts";
import { readUint } from "#core/chain/abi/readUint.ts";
import type { Address } from "#core/chain/Hex.ts";
import { hexQuantity } from "#core/chain/hexQuantity.ts";
import type { Rpc, RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { transferProbe } from "#plugins/trading/registry/abi/transferProbe.ts";

/** The result of a trial transfer: all of it arrives, less arrives, or it does not move. */
export type Transferred = "exact" | "fee" | "refused";

/** An address without a balance that belongs to nobody. */
const STRANGER: Address = "0x7a9e11e5000000000000000000000000000000aa";
const PROBE_GAS = "0x1e8480";
const WORD_BYTES = 32;
const WORDS = 4;

/**
 * Tries a transfer of each token and returns the results: a call that changes nothing, in which the
 * holder's code is replaced by one that sends an eighth and compares balances. Left out are tokens
 * that the holder has none of, and those that the node cannot try.
 *
 * A router does not check what arrives, so without this a token with a transfer fee would be found
 * only by a user's loss.
 */
export async function probeTransfers(
	rpc: Rpc,
	{
		holders,
		block,
		signal,
	}: { holders: ReadonlyMap<Address, Address>; block: number; signal: AbortSignal },
): Promise<Map<Address, Transferred>> {
	const asked = [...holders];
	const calls = asked.map(([token, holder]) => callOf(token, holder, block));
	const outcomes = calls.length === 0 ? [] : await rpc.settle(calls, { signal, minBlock: block });
	const found = new Map<Address, Transferred>();
	for (const [index, [token]] of asked.entries()) {
		const transferred = transferredOf(outcomes[index]);
		if (transferred) found.set(token, transferred);
	}
	return found;
}

function callOf(token: Address, holder: Address, block: number): RpcCall {
	const words = [token, STRANGER].map((address) => address.slice(2).padStart(64, "0"));
	const call = { to: holder, data: `${transferProbe.selector}${words.join("")}`, gas: PROBE_GAS };
	const replaced = { [holder]: { code: transferProbe.code } };
	return { method: "eth_call", params: [call, hexQuantity(block), replaced] };
}

function transferredOf(outcome: RpcOutcome | undefined): Transferred | null {
	if (outcome?.kind !== "result" || typeof outcome.result !== "string") return null;
	const bytes = hexBytes(outcome.result);
	if (bytes?.length !== WORDS * WORD_BYTES) return null;
	const [moved, sent, arrived, left] = Array.from({ length: WORDS }, (_, index) => {
		return readUint(bytes, index * WORD_BYTES);
	});
	if (sent === 0n) return null;
	if (moved !== 1n) return "refused";
	return arrived === sent && left === sent ? "exact" : "fee";
}
