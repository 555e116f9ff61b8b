import { hexBytes } from "#core/chain/abi/hexBytes.ts";
import { readUint } from "#core/chain/abi/readUint.ts";
import type { Address } from "#core/chain/Hex.ts";
import { hexQuantity } from "#core/chain/hexQuantity.ts";
import type { Rpc, RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { transferProbe } from "#plugins/trading/registry/abi/transferProbe.ts";

/** What a token does when it is moved: all of it arrives, less arrives, or it does not move. */
export type Transferred = "exact" | "fee" | "refused";

/** Somebody who holds nothing and is nobody's. */
const STRANGER: Address = "0x7a9e11e5000000000000000000000000000000aa";
const PROBE_GAS = "0x1e8480";
const WORD_BYTES = 32;
const WORDS = 4;

/**
 * Tries what tokens do when somebody who holds them sends them on: a call that changes nothing, in
 * which the holder's code is replaced by one that sends an eighth and counts. Left out: tokens of
 * which the holder has nothing, and those that the node does not try.
 *
 * A router does not count what arrives, so a token that keeps a part of each transfer is found
 * here, or by whoever lost it.
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
