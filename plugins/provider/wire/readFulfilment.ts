import type { Hex } from "#core/chain/Hex.ts";
import type { ProviderFulfilment } from "#plugins/provider/contract.ts";
import { FULFILMENT_BYTES_MAX, FULFILMENT_ORDERS_MAX } from "#plugins/provider/limits.ts";
import type { ChainNames } from "#plugins/provider/wire/createChainNames.ts";
import { keepRaw } from "#plugins/provider/wire/keepRaw.ts";
import { readUint } from "#plugins/provider/wire/readUint.ts";
import { wire } from "#plugins/provider/wire/wire.ts";
import { wireField } from "#plugins/provider/wire/wireField.ts";

/** Matches a Solidity function signature, with its structs written out as tuples. */
const SIGNATURE = /^[A-Za-z_]\w{0,127}\([\w(),[\] ]{0,4000}\)$/;
const SUFFIX = /^0x(?:[0-9a-fA-F]{2}){0,128}$/;

/**
 * Reads the data for filling an order. Money is spent by it, so nothing is repaired or left out:
 * one unreadable member, or two that contradict each other, makes it unreadable.
 */
export function readFulfilment(
	answer: unknown,
	chains: ChainNames,
): ProviderFulfilment | "unreadable" {
	const top = wire.fulfilment.safeParse(answer).data;
	const data = wire.fulfilmentData.safeParse(top?.fulfillment_data).data;
	const sent = wire.transaction.safeParse(data?.transaction).data;
	if (!top?.protocol || !sent?.to || !sent.input_data) return "unreadable";
	const chainId = readChain(sent.chain, chains);
	const valueRaw = readValue(sent.value, sent.value_hex);
	const suffix = readSuffix(sent.calldata_suffix);
	const inputData = keep(sent.input_data);
	const orders = (data?.orders ?? []).map((order) => keep(wireField.record.parse(order)));
	const kept = orders.filter((order) => order !== null);
	if (typeof sent.function !== "string" || !SIGNATURE.test(sent.function)) return "unreadable";
	if (chainId === null || valueRaw === null || suffix === "unreadable" || !inputData) {
		return "unreadable";
	}
	if (kept.length !== orders.length || kept.length > FULFILMENT_ORDERS_MAX) return "unreadable";
	const { function: signature, to } = sent;
	return {
		protocol: top.protocol,
		transaction: { function: signature, chainId, to, valueRaw, inputData, calldataSuffix: suffix },
		orders: kept,
	};
}

/** Reads a chain: a number in the document; a name is accepted too. */
function readChain(value: unknown, chains: ChainNames): number | null {
	if (typeof value === "number") return Number.isSafeInteger(value) && value > 0 ? value : null;
	return typeof value === "string" ? chains.idOf(value) : null;
}

/** Reads a value that is stated once or twice: in decimal (once as a JSON number) and in hex. */
function readValue(decimal: unknown, hex: unknown): bigint | null {
	const said = [decimal, hex].filter((value) => value !== undefined && value !== null);
	const [first, second] = said.map(readUint);
	if (first === undefined || first === null) return null;
	return said.length === 1 || second === first ? first : null;
}

function readSuffix(value: unknown): Hex | null | "unreadable" {
	if (value === undefined || value === null || value === "") return null;
	if (typeof value !== "string" || !SUFFIX.test(value)) return "unreadable";
	return `0x${value.slice(2).toLowerCase()}`;
}

function keep(record: Readonly<Record<string, unknown>> | null) {
	return record && keepRaw(record, { bytesMax: FULFILMENT_BYTES_MAX, mayShorten: false });
}
