// Decodes the events of token, router and burner.

import { type DecodeEventLogReturnType, decodeEventLog, parseAbi } from "viem";
import type { Address, Hex, RawLog } from "#core/chain/Hex.ts";
import { buybackBurnerAbi, revenueRouterAbi } from "#plugins/tokenomics/contracts/abi.ts";

/** Names a contract's role in the ledger. */
export type Role = "token" | "router" | "burner";

/** Holds the place of an event on its chain. */
type Place = {
	block: number;
	logIndex: number;
	transactionHash: Hex;
	contract: Address;
};

/** Holds an event of one of the contracts. Amounts are in base units of their currency. */
export type LedgerEvent = Place &
	(
		| { kind: "revenue_received"; source: Hex; currency: Address; party: Address; amount: bigint }
		| { kind: "share_paid"; bucket: number; currency: Address; party: Address; amount: bigint }
		| { kind: "split_set"; source: Hex; bps: readonly number[] }
		| { kind: "payee_set"; bucket: number; party: Address }
		| {
				kind: "buyback_burned";
				party: Address;
				currency: Address;
				amount: bigint;
				burned: bigint;
				pool: Address;
		  }
		| { kind: "transfer"; from: Address; to: Address; amount: bigint }
	);

/** Entries of the treasury ledger: events of router and burner. */
export const ENTRY_TYPES = [
	"revenue_received",
	"share_paid",
	"buyback_burned",
	"split_set",
	"payee_set",
] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];
export type EntryEvent = Extract<LedgerEvent, { kind: EntryType }>;
export type TransferEvent = Extract<LedgerEvent, { kind: "transfer" }>;

const transferAbi = parseAbi([
	"event Transfer(address indexed from, address indexed to, uint256 value)",
]);

/**
 * Reads a log of a contract with this role; null where it is none of those that are kept. A log
 * whose topic is known and whose form is not is null as well: the comparison with the chain finds
 * what is missing.
 */
export function readLedgerEvent(log: RawLog, role: Role): LedgerEvent | null {
	const place: Place = {
		...{ block: Number(log.blockNumber), logIndex: Number(log.logIndex) },
		...{ transactionHash: log.transactionHash, contract: log.address },
	};
	switch (role) {
		case "token":
			return readTransfer(log, place);
		case "router":
			return readRouterEvent(log, place);
		default:
			return readBurn(log, place);
	}
}

function readTransfer(log: RawLog, place: Place): LedgerEvent | null {
	const read = decoded(() => decodeEventLog({ abi: transferAbi, ...argsOf(log) }));
	if (!read) return null;
	const { from, to, value } = read.args;
	return { ...place, kind: "transfer", from: lower(from), to: lower(to), amount: value };
}

function readRouterEvent(log: RawLog, place: Place): LedgerEvent | null {
	const read: DecodeEventLogReturnType<typeof revenueRouterAbi> | null = decoded(() =>
		decodeEventLog({ abi: revenueRouterAbi, ...argsOf(log) }),
	);
	switch (read?.eventName) {
		case "RevenueReceived": {
			const { source, currency, from, amount } = read.args;
			const [of, party] = [lower(currency), lower(from)];
			return { ...place, kind: "revenue_received", source, currency: of, party, amount };
		}
		case "Paid": {
			const { bucket, currency, payee, amount } = read.args;
			const [of, party] = [lower(currency), lower(payee)];
			return { ...place, kind: "share_paid", bucket, currency: of, party, amount };
		}
		case "SplitSet": {
			const { source, holdersBps, leagueBps, burnBps, treasuryBps } = read.args;
			const bps = [holdersBps, leagueBps, burnBps, treasuryBps];
			return { ...place, kind: "split_set", source, bps };
		}
		case "PayeeSet": {
			const { bucket, payee } = read.args;
			return { ...place, kind: "payee_set", bucket, party: lower(payee) };
		}
		default:
			return null;
	}
}

function readBurn(log: RawLog, place: Place): LedgerEvent | null {
	const read = decoded(() => decodeEventLog({ abi: buybackBurnerAbi, ...argsOf(log) }));
	if (!read) return null;
	const { keeper, paidWith, spent, burned, pool } = read.args;
	return {
		...{ ...place, kind: "buyback_burned", party: lower(keeper), currency: lower(paidWith) },
		...{ amount: spent, burned, pool: lower(pool) },
	};
}

function decoded<Read>(read: () => Read): Read | null {
	try {
		return read();
	} catch {
		return null;
	}
}

function argsOf({ topics, data }: RawLog): { topics: [Hex, ...Hex[]]; data: Hex } {
	const [topic = "0x", ...others] = topics;
	return { topics: [topic, ...others], data };
}

function lower(address: Address): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}
