import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeFunctionData, type Hex } from "viem";
import {
	encodeFilling,
	expandBasicOrder,
	readFilling,
	wireOrder,
} from "#plugins/nft-buys/seaport/encodeFilling.ts";
import { type FillingFunction, hashOrder, seaportAbi } from "#plugins/nft-buys/seaport/Order.ts";
import { readFulfilmentAnswer, sellListing } from "#test/harness/sellListing.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";

const BUYER: Hex = `0x${"1".repeat(40)}`;
const NFT: Hex = `0x${"c".repeat(40)}`;
const SELLER: Hex = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
const NOW_MS = Date.UTC(2026, 10, 21, 12);
const terms = {
	seller: 2,
	token: { itemType: 2 as const, contract: NFT, id: 7n },
	payments: [
		{ recipient: SELLER, raw: 97n },
		{ recipient: `0x${"a".repeat(40)}` as Hex, raw: 3n },
	],
	nowMs: NOW_MS,
};

describe("a basic order", () => {
	test("the order read from a call has the listing's hash, for each function that fills it", async () => {
		const { orderHash, order, fulfilment } = await sellListing(terms);
		for (const answer of [fulfilment(1n), fulfilment(1n, { recipient: BUYER })]) {
			const filling = readFilling(answer);
			if (typeof filling === "string") throw new Error(filling);
			expect(filling.parameters).toEqual(order.parameters);
			expect(hashOrder(filling.parameters, 0n)).toBe(orderHash);
			expect(hashOrder(filling.parameters, 1n)).not.toBe(orderHash);
		}
	});

	test("a basic order pays an ERC-20 for an ERC-1155 as well", async () => {
		const { orderHash, fulfilment } = await sellListing({
			...terms,
			token: { itemType: 3, contract: NFT, id: 7n, units: 4n },
			currency: `0x${"d".repeat(40)}`,
		});
		const filling = readFilling(fulfilment(4n));
		if (typeof filling === "string") throw new Error(filling);
		expect(filling.call).toBe("fulfillBasicOrder_efficient_6GL6yc");
		expect(hashOrder(filling.parameters, 0n)).toBe(orderHash);
	});

	test("a basic order that sells our token, or has members outside of the hash, is unreadable", async () => {
		const { fulfilment } = await sellListing(terms);
		const { parameters } = wireOrder.fulfillBasicOrder.parse(fulfilment().transaction.inputData);
		expect(expandBasicOrder(parameters)).not.toBeNull();
		for (const basicOrderType of [16, 17, 20, 23, 24, 255]) {
			expect(expandBasicOrder({ ...parameters, basicOrderType })).toBeNull();
		}
		expect(expandBasicOrder({ ...parameters, considerationToken: NFT })).toBeNull();
		expect(expandBasicOrder({ ...parameters, considerationIdentifier: 1n })).toBeNull();
	});
});

test("shares that no call of Seaport can hold are unreadable, even if they are consistent", async () => {
	const { fulfilment } = await sellListing(terms);
	const answer = fulfilment(1n, { recipient: BUYER });
	const withShares = (share: unknown) => {
		const { transaction } = answer;
		const inputData = structuredClone(transaction.inputData) as {
			advancedOrder: { numerator: unknown; denominator: unknown };
		};
		Object.assign(inputData.advancedOrder, { numerator: share, denominator: share });
		return readFilling({ ...answer, transaction: { ...transaction, inputData } });
	};
	for (const share of [2n ** 120n, 2n ** 130n, 2n ** 255n, 0n]) {
		expect(withShares(String(share))).toBe("unreadable");
	}
	for (const share of [2 ** 53, -1, 1.5, "", "0x", "1e3", null]) {
		expect(withShares(share)).toBe("unreadable");
	}
	const largest = withShares(String(2n ** 120n - 1n));
	if (typeof largest === "string") throw new Error(largest);
	expect(encodeFilling(largest, { wallet: BUYER, suffix: null })).toStartWith("0x");
});

test("encodeFilling writes the call that readFilling read, with our recipient and attribution", async () => {
	const { fulfilment } = await sellListing(terms);
	for (const recipient of [undefined, BUYER]) {
		const filling = readFilling(fulfilment(1n, recipient ? { recipient } : {}));
		if (typeof filling === "string") throw new Error(filling);
		const data = encodeFilling(filling, { wallet: BUYER, suffix: "0x5a4db0c5" });
		const { functionName, args } = decodeFunctionData({ abi: seaportAbi, data });
		expect(functionName).toBe(filling.call);
		expect(data.endsWith("5a4db0c5")).toBe(true);
		if (functionName === "fulfillAdvancedOrder") {
			const [order, resolvers, , to] = args;
			expect([resolvers, to.toLowerCase()]).toEqual([[], BUYER]);
			expect(order.signature).toBe(filling.signature);
		}
	}
});

test("a function is recognised by its whole signature, not by its name", async () => {
	const answer = (await sellListing(terms)).fulfilment();
	const named = (text: string) =>
		readFilling({ ...answer, transaction: { ...answer.transaction, function: text } });
	const text = answer.transaction.function;
	expect(named(text.replace("_efficient_6GL6yc", ""))).toMatchObject({ call: "fulfillBasicOrder" });
	for (const other of [
		"fulfillBasicOrder()",
		text.replace("uint256", "uint128"),
		text.replace("fulfillBasicOrder", "fulfillbasicorder"),
		"fulfillAvailableOrders((address)[],bytes32)",
	]) {
		expect(named(other)).toBe("function");
	}
	expect(named("fulfillOrder".concat(text.slice(text.indexOf("("))))).toBe("function");
});

const SAMPLES = join(import.meta.dir, "../../../../shared/data/fulfillment-samples.json");

const testWithSamples = skipWithReason(
	existsSync(SAMPLES) ? null : `recorded fulfilments are not at ${SAMPLES}`,
);

testWithSamples("[NFT-02] a real answer is encoded to the calldata known for it", () => {
	const { samples } = JSON.parse(readFileSync(SAMPLES, "utf8"));
	const [sample] = samples;
	const filling = readFilling(readFulfilmentAnswer(sample.response));
	if (typeof filling === "string") throw new Error(filling);
	const plain: FillingFunction = "fulfillBasicOrder";
	const encoded = (call: FillingFunction) =>
		encodeFilling({ ...filling, call }, { wallet: BUYER, suffix: null });
	expect(encoded(filling.call)).toBe(sample.calldata_fulfillBasicOrder_efficient);
	expect(encoded(plain)).toBe(sample.calldata_fulfillBasicOrder);
});
