import { afterAll, beforeAll, expect, test } from "bun:test";
import { openTransfersLab, type TransfersLab } from "#test/harness/openTransfersLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: an invalid amount or address is refused before anything is stored or sent.

const PATH = "/v1/trading/wallet-transfers";
const ANNA = `0x${"a1".repeat(20)}`;

let database: TestDatabase;
let lab: TransfersLab;
let by: Awaited<ReturnType<TransfersLab["person"]>>;
beforeAll(async () => {
	database = await createTestDatabase();
	lab = openTransfersLab(database.db);
	by = await lab.person();
});
afterAll(() => database?.drop());

async function refusal(more: object) {
	const body = { fromWalletId: by.wallet.id, recipients: [ANNA], amount: "0.25", ...more };
	const answer = await lab.ask(PATH, { body, by, key: "a-key" });
	const stored = await database.db.query(
		"select 1 from wallets.intent union all select 1 from wallets.idempotent_answer",
	);
	expect(stored).toHaveLength(0);
	expect(lab.handed).toHaveLength(0);
	const { status, body: problem } = answer;
	const paths = (problem.issues ?? []).map((issue: { path: string }) => issue.path);
	return { status, code: problem.code, paths };
}

const refused = (...paths: string[]) => ({ status: 422, code: "validation_error", paths });

for (const amount of [
	"1e18",
	"0x10",
	"１",
	"1,5",
	"-0",
	"-1",
	"+1",
	"0",
	"0.0",
	"0.000000000000000000",
	"",
	" 1",
	"1 ",
	".5",
	"1.",
	"01",
	"1_000",
	"NaN",
	"Infinity",
	"0.1234567890123456789",
	"9".repeat(78),
	"1".repeat(200),
]) {
	test(`[TRF-04] the amount ${JSON.stringify(amount)} is refused`, async () => {
		expect(await refusal({ amount })).toEqual(refused("amount"));
	});
}

test("[TRF-04] a JSON number follows the same rules as text", async () => {
	const text = (amount: string) =>
		`{"fromWalletId":"${by.wallet.id}","recipients":["${ANNA}"],"amount":${amount}}`;
	for (const amount of ["1e18", "-0", "0", "1E1", "0.1234567890123456789", "true", "null"]) {
		const { status } = await lab.ask(PATH, { body: text(amount), by });
		expect({ amount, status }).toEqual({ amount, status: 422 });
	}
});

const CHECKSUMMED = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

for (const [what, recipient] of [
	["a wrong checksum", CHECKSUMMED.replace("5aA", "5AA")],
	["the zero address", `0x${"0".repeat(40)}`],
	["a precompiled contract", `0x${"1".padStart(40, "0")}`],
	["the wrapped coin's contract", "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"],
	["too few digits", "0x1234"],
	["a name", "anna.eth"],
	["no prefix", "a1".repeat(20)],
	["a full-width digit", `0x${"a1".repeat(19)}a１`],
	["a blank behind", `${ANNA} `],
] as const) {
	test(`[TRF-04] a recipient with ${what} is refused, and named by its place`, async () => {
		expect(await refusal({ recipients: [ANNA, recipient] })).toEqual(refused("recipients.1"));
	});
}

test("[TRF-04] the wallet itself and a repeated recipient are refused, in any spelling", async () => {
	expect(await refusal({ recipients: [by.wallet.address] })).toEqual(refused("recipients.0"));
	const twice = [CHECKSUMMED, ANNA, CHECKSUMMED.toLowerCase()];
	expect(await refusal({ recipients: twice })).toEqual(refused("recipients.2"));
});

test("[TRF-04] everything that is wrong is listed at once", async () => {
	const recipients = ["0x1", ANNA, ANNA];
	const told = await refusal({ recipients, amount: "0" });
	expect(told).toEqual(refused("amount", "recipients.0", "recipients.2"));
});

test("[TRF-04] no recipient, or more than fifty, is refused", async () => {
	expect(await refusal({ recipients: [] })).toEqual(refused("recipients"));
	const many = Array.from({ length: 51 }, (_, index) => {
		return `0x${(index + 0xabcdef).toString(16).padStart(40, "1")}`;
	});
	expect(await refusal({ recipients: many })).toEqual(refused("recipients"));
});

test("a chain that is unknown, not served, or has another coin is refused", async () => {
	for (const chain of ["nowhere", "base", "polygon", "matic"]) {
		expect(await refusal({ chain })).toEqual(refused("chain"));
	}
});

test("an unknown member is refused, not silently ignored", async () => {
	expect((await refusal({ token: "USDC" })).status).toBe(422);
});

test("another profile's wallet is answered like a missing one", async () => {
	const other = await lab.person();
	for (const fromWalletId of [other.wallet.id, crypto.randomUUID(), "nonsense"]) {
		expect(await refusal({ fromWalletId })).toMatchObject({ status: 404, code: "not_found" });
	}
});
