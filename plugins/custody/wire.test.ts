import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { transactionParams } from "#plugins/custody/createSender.ts";
import { typedDataParams } from "#plugins/custody/sign.ts";
import { sampleTransaction } from "#plugins/custody/testing/sampleTransaction.ts";
import { readTrace, readTraces, readUser } from "#plugins/custody/wire.ts";

const hash = `0x${"cd".repeat(32)}`;
const row = { id: "t1", status: "confirmed", transaction_hash: hash, reference_id: "r1" };

describe("a transaction in the provider's format", () => {
	test("a transaction has each amount as exact hex, however large", () => {
		const uint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
		fc.assert(
			fc.property(uint, fc.nat(), uint, (valueRaw, nonce, maxFeePerGas) => {
				const params = transactionParams(
					sampleTransaction("0x01", nonce, { valueRaw, maxFeePerGas, maxPriorityFeePerGas: 0n }),
				);
				expect(BigInt(params["value"] ?? "")).toBe(valueRaw);
				expect(BigInt(params["max_fee_per_gas"] ?? "")).toBe(maxFeePerGas);
				expect(Number(params["nonce"])).toBe(nonce);
				const { type, ...rest } = params;
				expect(type).toBe(2);
				for (const value of Object.values(rest)) expect(value).toMatch(/^0x[0-9a-f]*$/);
			}),
		);
	});

	test("a transaction with an impossible member is refused", () => {
		const wrong = [
			{ valueRaw: -1n },
			{ gasLimit: 0n },
			{ chainId: 0 },
			{ chainId: 1.5 },
			{ nonce: -1 },
			{ nonce: Number.NaN },
			{ maxFeePerGas: 1n, maxPriorityFeePerGas: 2n },
		];
		for (const changed of wrong) {
			expect(() => transactionParams(sampleTransaction("0x01", 0, changed))).toThrow();
		}
	});
});

describe("typed data in the provider's format", () => {
	const typedData = {
		domain: { chainId: 1 },
		types: { Permit: [{ name: "value", type: "uint256" }] },
		primaryType: "Permit",
		message: { value: 2n ** 255n },
	};

	test("typed data has large integers as text, and its type under the provider's name", () => {
		expect(typedDataParams(typedData).typed_data).toMatchObject({
			primary_type: "Permit",
			message: { value: String(2n ** 255n) },
		});
	});

	test("numbers that a double cannot hold, and invalid typed data, are refused", () => {
		for (const value of [2 ** 53, 0.5, Number.NaN]) {
			expect(() => typedDataParams({ ...typedData, message: { value } })).toThrow(
				"wallet_provider_refused",
			);
		}
		expect(() => typedDataParams({})).toThrow("wallet_provider_refused");
	});
});

describe("a looked-up transaction", () => {
	test("a known status of a transaction is kept, and any other becomes unknown", () => {
		for (const status of [
			"pending",
			"broadcasted",
			"execution_reverted",
			"finalized",
			"replaced",
		]) {
			expect(readTrace({ ...row, status })?.status).toBe(status as never);
		}
		expect(readTrace({ ...row, status: "toString" })?.status).toBe("unknown");
		expect(readTrace({ ...row, transaction_hash: null })?.transactionHash).toBeNull();
		expect(readTrace({ ...row, transaction_hash: "0x12" })).toBeNull();
		expect(readTrace({ ...row, id: undefined })).toBeNull();
	});

	test("a transaction is not known to the provider only if the returned list is empty", () => {
		expect(readTraces({ transactions: [] }, "r1")).toBeNull();
		expect(readTraces({ transactions: [row] }, "r1")).toMatchObject({ transactionId: "t1" });
		expect(readTraces({ transactions: [row, row] }, "r1")).toMatchObject({ transactionId: "t1" });
		const unreadable: unknown[] = [
			{ transactions: [{ ...row, reference_id: "r2" }] },
			{ transactions: [{ ...row, reference_id: undefined }] },
			{ transactions: [row, { ...row, id: "t2" }] },
			{ transactions: [row, null] },
			{ transactions: null },
			{},
			[],
		];
		for (const json of unreadable) expect(readTraces(json, "r1")).toBe("unreadable");
	});
});

describe("a user's accounts", () => {
	test("a user's accounts are its social account and its wallets, with an id for the provider's own", () => {
		const address = `0x${"Ab".repeat(20)}`;
		const user = readUser({
			id: "did:privy:1",
			linked_accounts: [
				{ type: "twitter_oauth", subject: "77", username: "ada", name: "x" },
				{ type: "wallet", chain_type: "ethereum", address, id: "w1", wallet_client: "privy" },
				{ type: "wallet", chain_type: "ethereum", address, id: "w2", wallet_client: "unknown" },
				{ type: "wallet", chain_type: "solana", address: "So1", id: "w3", wallet_client: "privy" },
				{ type: "email", address: "a@b.test" },
				{ type: "wallet", chain_type: "ethereum", address: "0x12", wallet_client: "privy" },
				{ type: "twitter_oauth", username: "nosubject" },
				null,
			],
		});
		const lower = address.toLowerCase();
		expect(user?.accounts).toEqual([
			{ type: "social", subject: "77", username: "ada" },
			{ type: "wallet", address: lower as `0x${string}`, providerWalletId: "w1" },
			{ type: "wallet", address: lower as `0x${string}`, providerWalletId: null },
		]);
	});

	test("an invalid name is left out, and the subject is kept", () => {
		const accounts = [{ type: "twitter_oauth", subject: "77", username: "a\u202eb" }];
		expect(readUser({ id: "u", linked_accounts: accounts })?.accounts).toEqual([
			{ type: "social", subject: "77", username: null },
		]);
		expect(readUser({ id: "u" })).toBeNull();
	});
});
