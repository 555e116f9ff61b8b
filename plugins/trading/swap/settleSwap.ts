import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Receipt } from "#plugins/wallets/contract.ts";

/** The amounts that a swap's transaction took from the wallet and gave to it, in base units. */
export type SettledSwap = { spentRaw: bigint; receivedRaw: bigint };

/** `Transfer(address,address,uint256)`, as ERC-20 has it. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const WORD = 66;

/**
 * Returns the swapped amounts from the receipt's own logs: what left the wallet minus what came
 * back. The native coin leaves no logs: there, the transfers of its wrapped form between router and
 * pools count. Wrapping itself is not counted: some coins log it, others mint.
 */
export function settleSwap(
	{ logs }: Pick<Receipt, "logs">,
	swap: { wallet: Address; router: Address; wrapped: Address; sell: Address; buy: Address },
): SettledSwap {
	const { wallet, router, wrapped, sell, buy } = swap;
	const changeOf = (token: Address) => {
		const [of, account] = token === ZERO_ADDRESS ? [wrapped, router] : [token, wallet];
		return logs.reduce((sum, log) => sum + movedOf(log, { token: of, account }), 0n);
	};
	return { spentRaw: -changeOf(sell), receivedRaw: changeOf(buy) };
}

type Log = Receipt["logs"][number];

function movedOf(
	{ address, topics, data }: Log,
	{ token, account }: { token: Address; account: Address },
): bigint {
	const [topic, from, to] = topics;
	if (address !== token || topic !== TRANSFER || topics.length !== 3) return 0n;
	if (from === undefined || to === undefined || data.length !== WORD) return 0n;
	// Minting or burning: wrapping or unwrapping, or tokens that no pool paid.
	if (isOf(from, ZERO_ADDRESS) || isOf(to, ZERO_ADDRESS)) return 0n;
	const raw = BigInt(data);
	return (isOf(to, account) ? raw : 0n) - (isOf(from, account) ? raw : 0n);
}

function isOf(topic: Hex, account: Address): boolean {
	return topic.length === WORD && BigInt(topic) === BigInt(account);
}
