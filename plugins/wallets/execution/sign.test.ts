import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { hashMessage, hashTypedData, recoverAddress } from "viem";
import { privateKeyToAccount, sign } from "viem/accounts";
import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { IntentKind } from "#plugins/wallets/IntentKind.ts";
import { confirmIntent } from "#plugins/wallets/intent/Intent.ts";
import type { Intent, Plan, Signable } from "#plugins/wallets/model.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { Person, PersonOptions } from "#plugins/wallets/testing/insertPerson.ts";
import { readLedgerFlaws } from "#plugins/wallets/watch/ledgerCheck.ts";
import { custodyFaults } from "#test/harness/fakes.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what a wallet signs is judged like a payment before it signs, and counted in the
// transaction that stores the signature; whoever dies in between leaves nothing that anybody has.

const TOKEN: Address = `0x${"70".repeat(20)}`;
const SPENDER: Address = `0x${"5e".repeat(20)}`;
const COIN: Address = `0x${"0".repeat(40)}`;
const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
const owner = account.address.toLowerCase() as Address;
const thief: Hex = `0x${"22".repeat(32)}`;

let database: TestDatabase;
let lab: Lab;
let script: { ether: string; isMessage: boolean; signs: "well" | "as another" | "no" | "silent" };
let signed: number;
let gone: string | null;

beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile, wallets.control cascade");
	script = { ether: "0.5", isMessage: false, signs: "well" };
	signed = 0;
	gone = null;
	lab = openExecutionLab(database.db, {
		async observe(step, edge) {
			if (gone === `${step}:${edge}`) throw new Error("the process is gone");
		},
	});
	lab.execution.register(permitKind());
	Object.assign(lab.deps.custody, {
		signTypedData: ({ typedData }: { typedData: any }) => signAs(hashTypedData(typedData)),
		signMessage: ({ message }: { message: Uint8Array }) => signAs(hashMessage({ raw: message })),
	});
});

async function signAs(hash: Hex): Promise<Hex> {
	signed++;
	if (script.signs === "silent") throw custodyFaults.silent();
	if (script.signs === "no") throw custodyFaults.no();
	if (script.signs === "as another") return await sign({ hash, privateKey: thief, to: "hex" });
	return await account.sign({ hash });
}

function signableOf(raw: bigint): Signable {
	if (script.isMessage) return { kind: "message", message: `0x${"ab".repeat(32)}`, spender: null };
	return {
		kind: "typed_data",
		spender: SPENDER,
		typedData: {
			domain: { name: "Dollar", version: "1", chainId: 31_337, verifyingContract: TOKEN },
			types: {
				Permit: [
					{ name: "to", type: "address" },
					{ name: "value", type: "uint256" },
				],
			},
			primaryType: "Permit",
			message: { to: SPENDER, value: String(raw) },
		},
	};
}

function permitKind(): IntentKind<unknown> {
	return {
		...{ name: "permit", plugin: "lab", steps: [] },
		request: z.unknown(),
		deny: () => null,
		settle: async () => null,
		keeps: (approved: Plan, fresh: Plan) => fresh.spend.raw <= approved.spend.raw,
		async prepare(intent, { wallet }) {
			const raw = BigInt(Number(script.ether) * 1e6) * 10n ** 12n;
			const plan: Plan = {
				...{ chainId: intent.chainId, from: wallet.address, to: TOKEN, valueRaw: 0n, data: "0x" },
				spend: { currency: COIN, raw, decimals: 18, symbol: "ETH" },
				...{ recipient: null, signs: signableOf(raw), shown: {} },
				expiresAtMs: lab.clock.nowMs() + 300_000,
			};
			return { kind: "plan", plan };
		},
	};
}

async function person(options: PersonOptions = {}): Promise<Person> {
	const made = await lab.person(options);
	await database.db.execute("update wallets.wallet set address = $2 where id = $1", [
		...[made.wallet.id, Buffer.from(owner.slice(2), "hex")],
	]);
	return { ...made, wallet: { ...made.wallet, address: owner } };
}

async function record({ profile, wallet }: Person): Promise<string> {
	const [made] = await database.db.transaction((tx) =>
		lab.execution.create(tx, [
			{ kind: "permit", profile, wallet, chainId: 31_337, channel: "api", request: {} },
		]),
	);
	return made?.id ?? "";
}

async function begin(by: Person): Promise<Intent> {
	const id = await record(by);
	await lab.execution.advance([id], lab.signal);
	return await lab.intent(id);
}

const flaws = (id: string) => readLedgerFlaws(database.db, [id]);

test("a signature is stored, and the amount that it allows is booked as spent from then on", async () => {
	const by = await person();
	const intent = await begin(by);
	expect(intent).toMatchObject({ status: "confirmed", errorCode: null, transactionHash: null });
	const signature = (await lab.execution.signatureOf(intent.id)) ?? "0x";
	const { signs } = intent.plan ?? {};
	expect(signs).toEqual(signableOf(5n * 10n ** 17n));
	if (signs?.kind !== "typed_data") throw new Error("no typed data");
	const hash = hashTypedData(signs.typedData);
	expect((await recoverAddress({ hash, signature })).toLowerCase()).toBe(owner);
	expect(await lab.moves(intent.id)).toEqual(["sign"]);
	expect(await lab.ledger(intent.id)).toEqual({ reserve: 1_000_000_000, spend: 1_000_000_000 });
	expect(await flaws(intent.id)).toEqual([]);
	// Nothing was sent, and nothing is looked for.
	expect(lab.handed).toEqual([]);
	await lab.tick(600_000);
	expect(await lab.intent(intent.id)).toEqual(intent);
});

test("bytes are signed as EIP-191 defines", async () => {
	script.isMessage = true;
	const intent = await begin(await person());
	const signature = (await lab.execution.signatureOf(intent.id)) ?? "0x";
	const hash = hashMessage({ raw: `0x${"ab".repeat(32)}` });
	expect((await recoverAddress({ hash, signature })).toLowerCase()).toBe(owner);
});

test("the spend limits apply: an amount above them is refused before the wallet is asked", async () => {
	const by = await person({ dailyUsdMax: 9_000_000_000n });
	script.ether = "2.6";
	expect(await begin(by)).toMatchObject({ status: "rejected" });
	expect(signed).toBe(0);
	script.ether = "2.4";
	expect((await begin(by)).status).toBe("confirmed");
	// Two of 4,800 dollars are more than 9,000 a day.
	const second = await begin(by);
	expect(second.status).toBe("rejected");
	expect(signed).toBe(1);
	expect(await lab.execution.signatureOf(second.id)).toBeNull();
});

test.each(["plugin:lab", "all"])("the switch kill:%s blocks a signature", async (scope) => {
	await database.db.execute("insert into wallets.control values ($1, 'true', 'operator', now())", [
		`kill:${scope}`,
	]);
	expect((await begin(await person())).status).toBe("rejected");
	expect(signed).toBe(0);
});

test("a signature is not stored or counted if signing is switched off while the wallet signs", async () => {
	const by = await person();
	Object.assign(lab.deps.custody, {
		async signTypedData({ typedData }: { typedData: any }) {
			await database.db.execute(
				"insert into wallets.control values ('kill:all', 'true', 'operator', now())",
			);
			return await signAs(hashTypedData(typedData));
		},
	});
	const intent = await begin(by);
	expect(intent.status).toBe("rejected");
	expect([signed, await lab.execution.signatureOf(intent.id)]).toEqual([1, null]);
	expect(await lab.ledger(intent.id)).toEqual({});
});

test("the owner is asked first if their profile requires it, and the confirmed data is signed", async () => {
	const intent = await begin(await person({ requireTradeConfirmation: true }));
	expect(intent.status).toBe("confirmation_required");
	expect(signed).toBe(0);
	await lab.execution.approve(intent.id, intent.planHash ?? "0x");
	// More than they said yes to is asked again.
	script.ether = "0.6";
	await lab.execution.advance([intent.id], lab.signal);
	const again = await lab.intent(intent.id);
	expect([again.status, signed]).toEqual(["confirmation_required", 0]);
	await lab.execution.approve(intent.id, again.planHash ?? "0x");
	await lab.execution.advance([intent.id], lab.signal);
	expect((await lab.intent(intent.id)).status).toBe("confirmed");
});

test("a signature that needs an operator's review waits for it", async () => {
	const kind = permitKind();
	lab.execution.register({
		...kind,
		name: "reviewed",
		async prepare(intent, context) {
			const prepared = await kind.prepare(intent, context);
			if (prepared.kind !== "plan") return prepared;
			return { ...prepared, review: { code: "odd", detail: "It is odd." } };
		},
	});
	const id = await record(await person());
	await database.db.execute("update wallets.intent set kind = 'reviewed' where id = $1", [id]);
	await lab.execution.advance([id], lab.signal);
	expect([(await lab.intent(id)).status, signed]).toEqual(["review_required", 0]);
	await database.db.transaction((tx) =>
		confirmIntent(tx, { intentId: id, by: "operator", at: new Date(lab.clock.ms) }),
	);
	await lab.execution.advance([id], lab.signal);
	expect((await lab.intent(id)).status).toBe("confirmed");
});

test("a dry run signs nothing", async () => {
	lab.state.isDryRun = true;
	expect((await begin(await person())).status).toBe("dry_run");
	expect(signed).toBe(0);
});

test.each(["external/manual", "embedded/manual"] as const)(
	"a signature is refused for a wallet that is %s",
	async (capability) => {
		expect(await begin(await person({ capability }))).toMatchObject({
			...{ status: "rejected", errorCode: "signature_not_delegated" },
		});
		expect(signed).toBe(0);
	},
);

test("a signature by another key is refused, and not stored", async () => {
	script.signs = "as another";
	const intent = await begin(await person());
	expect(intent).toMatchObject({ status: "rejected", errorCode: "signature_mismatch" });
	expect(await lab.execution.signatureOf(intent.id)).toBeNull();
	expect(await lab.ledger(intent.id)).toEqual({});
});

test("a refusal by the provider is final; a silent provider is asked again", async () => {
	const by = await person();
	script.signs = "no";
	expect((await begin(by)).errorCode).toBe("wallet_provider_refused");
	script.signs = "silent";
	const { id } = await begin(by);
	expect((await lab.intent(id)).status).toBe("created");
	script.signs = "well";
	await lab.tick(60_000);
	expect((await lab.intent(id)).status).toBe("confirmed");
});

test.each([
	...["commit.decide:before", "commit.decide:after", "custody.sign:before", "custody.sign:after"],
	...["commit.sign:before", "commit.sign:after"],
])("a process that ends at %s leaves one signature, counted once", async (edge) => {
	const id = await record(await person());
	gone = edge;
	await lab.execution.advance([id], lab.signal).catch(() => null);
	gone = null;
	const isStored = (await lab.execution.signatureOf(id)) !== null;
	expect(isStored).toBe(edge === "commit.sign:after");
	await lab.tick(60_000);
	expect((await lab.intent(id)).status).toBe("confirmed");
	expect(await lab.moves(id)).toEqual(["sign"]);
	expect(await lab.ledger(id)).toEqual({ reserve: 1_000_000_000, spend: 1_000_000_000 });
});

test("many processes that continue one intent simultaneously store one signature", async () => {
	const id = await record(await person());
	await Promise.all(Array.from({ length: 5 }, () => lab.execution.advance([id], lab.signal)));
	expect(await lab.moves(id)).toEqual(["sign"]);
	expect(await lab.ledger(id)).toEqual({ reserve: 1_000_000_000, spend: 1_000_000_000 });
});
