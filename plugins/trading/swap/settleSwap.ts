import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Receipt } from "#plugins/wallets/contract.ts";

/** What a swap's transaction took from the wallet and gave to it, to the base unit. */
export type SettledSwap = { spentRaw: bigint; receivedRaw: bigint };

/** `Transfer(address,address,uint256)`, and WETH9's `Deposit` and `Withdrawal`. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const DEPOSIT = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c";
const WITHDRAWAL = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65";
const WORD = 66;

/**
 * Reads what was really swapped from the receipt's own logs: what left the wallet less what came
 * back. The coin leaves no logs; the router wraps all of it that is swapped, and unwraps all that is
 * received, and gives back the rest, so its wrapping says how much that was.
 */
export function settleSwap(
	{ logs }: Pick<Receipt, "logs">,
	swap: { wallet: Address; router: Address; wrapped: Address; sell: Address; buy: Address },
): SettledSwap {
	const { wallet, router, wrapped, sell, buy } = swap;
	const changeOf = (token: Address) => {
		return logs.reduce((sum, log) => sum + movedOf(log, { token, wallet }), 0n);
	};
	const byRouter = (topic: Hex) => {
		return logs.reduce((sum, log) => sum + wrappingOf(log, { wrapped, router, topic }), 0n);
	};
	return {
		spentRaw: sell === ZERO_ADDRESS ? byRouter(DEPOSIT) : -changeOf(sell),
		receivedRaw: buy === ZERO_ADDRESS ? byRouter(WITHDRAWAL) : changeOf(buy),
	};
}

type Log = Receipt["logs"][number];

function movedOf(
	{ address, topics, data }: Log,
	{ token, wallet }: { token: Address; wallet: Address },
): bigint {
	const [topic, from, to] = topics;
	if (address !== token || topic !== TRANSFER || topics.length !== 3) return 0n;
	if (from === undefined || to === undefined || data.length !== WORD) return 0n;
	const raw = BigInt(data);
	return (isOf(to, wallet) ? raw : 0n) - (isOf(from, wallet) ? raw : 0n);
}

function wrappingOf(
	{ address, topics, data }: Log,
	{ wrapped, router, topic }: { wrapped: Address; router: Address; topic: Hex },
): bigint {
	const [name, whose] = topics;
	if (address !== wrapped || name !== topic || topics.length !== 2) return 0n;
	return whose !== undefined && isOf(whose, router) && data.length === WORD ? BigInt(data) : 0n;
}

function isOf(topic: Hex, account: Address): boolean {
	return topic.length === WORD && BigInt(topic) === BigInt(account);
}
