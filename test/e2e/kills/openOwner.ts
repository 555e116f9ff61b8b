// Opens a person whose own wallet sends and tells as a shape says, and holds its money to the wei.

import { type Hex, toHex } from "viem";
import type { Database } from "#core/db/Database.ts";
import type { Answer } from "#test/e2e/kills/openKillLane.ts";
import type { Anvil } from "#test/harness/anvil.ts";
import type { CustodyEmulator } from "#test/sandbox/custody/startCustodyEmulator.ts";

/** What the wallet does with the transaction that it is asked for. */
export type Sending = "as asked" | "sped up" | "cancelled" | "replaced";
/** What its owner's page tells of it. */
export type Telling = "at once" | "late" | "never" | "wrongly";

/** A payment that its owner is asked to send. */
export type Owed = {
	name: string;
	sending: Sending;
	telling: Telling;
	recipient: Hex;
	raw: bigint;
	intentId: string | null;
	/** The hash that the wallet named first; null: nothing was sent. */
	firstHash: Hex | null;
	isTold: boolean;
	turns: number;
};

type Ask = (path: string, options?: { body?: unknown; as?: string }) => Promise<Answer>;

const TRANSFERS = "/v1/trading/wallet-transfers";
const SENDINGS: readonly Sending[] = ["as asked", "sped up", "cancelled", "replaced"];
const TELLINGS: readonly Telling[] = ["at once", "late", "never", "wrongly"];
export const SHAPES = SENDINGS.length * TELLINGS.length;
const LATE_TURNS = 5;
const OTHER_RAW = 7n;
/** Not there yet, or another process holds it. */
const LATER = new Set([404, 409, 503]);

export type Owner = Awaited<ReturnType<typeof openOwner>>;

/** Signs in a person who has only a wallet of their own, and returns that wallet. */
export async function openOwner(given: {
	ask: Ask;
	anvil: Anvil;
	custody: CustodyEmulator;
	db: Database;
	chain: string;
}) {
	const { anvil, custody, db, chain } = given;
	const { id: as } = custody.person("fay");
	const ask: Ask = (path, options = {}) => given.ask(path, { ...options, as });
	const enrolled = await ask("/v1/trading/enrollment", { body: {} });
	const [wallet] = enrolled.body.profile?.wallets ?? [];
	if (wallet?.capability !== "external/manual") throw new Error(`no wallet: ${enrolled.text}`);
	const address: Hex = wallet.address;
	const balance = async (of: Hex) => BigInt(await anvil.rpc<Hex>("eth_getBalance", [of, "latest"]));
	const before = await balance(address);
	/** Sent since the last verdict. */
	const hashes: Hex[] = [];
	let lastHash: Hex | null = null;
	/** Raw units that left the wallet until the last verdict and are no intent's. */
	let beside = 0n;
	let unseen = 0;

	/**
	 * Sends what is asked for, and what takes its place, in one block. Somebody else may have had the
	 * first mined before: then it was sent as asked.
	 */
	async function send(request: object, owed: Owed): Promise<Hex> {
		const { sending } = owed;
		await anvil.mined();
		const price = BigInt(await anvil.rpc<Hex>("eth_gasPrice", [])) * 2n;
		const nonce = await anvil.rpc<Hex>("eth_getTransactionCount", [address, "latest"]);
		const put = async (change: object, times: bigint) => {
			const fees = { gasPrice: toHex(price * times), maxFeePerGas: undefined };
			const sent = { ...request, ...fees, nonce, from: address, ...change };
			const hash = await anvil.rpc<Hex>("eth_sendTransaction", [
				JSON.parse(JSON.stringify({ ...sent, maxPriorityFeePerGas: undefined })),
			]);
			hashes.push(hash);
			return hash;
		};
		if (sending === "as asked") return await put({}, 1n);
		const instead = {
			"sped up": {},
			cancelled: { to: address, value: "0x0", data: "0x" },
			replaced: { value: toHex(OTHER_RAW) },
		}[sending];
		await anvil.rpc("evm_setAutomine", [false]);
		try {
			const first = await put({}, 1n);
			await put(instead, 3n).catch((error) => {
				if (!String(error).includes("nonce too low")) throw error;
				owed.sending = "as asked";
			});
			return first;
		} finally {
			await anvil.rpc("evm_setAutomine", [true]);
			await anvil.rpc("evm_mine", []);
		}
	}

	async function tell(owed: Owed): Promise<void> {
		const { intentId, telling, firstHash } = owed;
		const isDue = telling !== "late" || owed.turns >= LATE_TURNS;
		if (telling === "never" || !isDue) return;
		unseen++;
		const wrong = unseen % 2 === 0 ? toHex(unseen, { size: 32 }) : (lastHash ?? hashes[0]);
		const transactionHash = telling === "wrongly" ? wrong : firstHash;
		const { status } = await ask("/v1/trading/transactions", {
			body: { intentId, transactionHash },
		});
		// What is refused for good was not told; what it is about is found all the same.
		owed.isTold = status !== 503;
	}

	return {
		wallet: { id: String(wallet.id), address },
		/** Makes a payment of the nth shape; to be asked for with its body. */
		owe(nth: number, recipient: Hex): Owed & { body: object } {
			const sending = SENDINGS[nth % SENDINGS.length] ?? "as asked";
			const telling = TELLINGS[Math.floor(nth / SENDINGS.length) % TELLINGS.length] ?? "never";
			const raw = 10n ** 15n;
			return {
				...{ name: `${sending}, told ${telling}`, sending, telling, recipient, raw },
				...{ intentId: null, firstHash: null, isTold: false, turns: 0 },
				body: {
					...{ fromWalletId: wallet.id, recipients: [recipient], amount: "0.001" },
					...{ chain, currency: "ETH" },
				},
			};
		},
		/** Does the next thing that the wallet or its owner does; called with each turn. */
		async act(owed: Owed): Promise<void> {
			const { intentId } = owed;
			if (intentId === null) return;
			owed.turns++;
			if (owed.firstHash === null) {
				const made = await ask("/v1/links", { body: { intentId } });
				if (LATER.has(made.status)) return;
				if (made.status !== 201) throw new Error(`${owed.name}: no link: ${made.text}`);
				const path = `/v1/links/${String(made.body.url).split("/").at(-1)}`;
				const { body } = await ask(path);
				if (!body.request) return;
				owed.firstHash = await send(body.request, owed);
			}
			if (!owed.isTold) await tell(owed);
		},
		/** Says what is wrong with payments that are over, and with the wallet's own money. */
		async judge(all: readonly Owed[]): Promise<string[]> {
			const problems: string[] = [];
			for (const { name, intentId, recipient, raw, sending, firstHash } of all) {
				const { body } = await ask(`${TRANSFERS}/${intentId}`);
				const isPaid = sending === "as asked" || sending === "sped up";
				if (firstHash === null) problems.push(`${name}: nothing was sent`);
				if ((body.status === "confirmed") !== isPaid) {
					problems.push(`${name}: ${body.status} ${body.errorCode}`);
				}
				const held = await balance(recipient);
				const wanted = sending === "replaced" ? OTHER_RAW : isPaid ? raw : 0n;
				if (held !== wanted) problems.push(`${name}: its recipient has ${held}`);
				const codes = { cancelled: ["cancelled"], replaced: ["replaced"] };
				const isNamed = sending !== "cancelled" && sending !== "replaced";
				if (!isNamed && body.status === "failed" && !codes[sending].includes(body.errorCode)) {
					problems.push(`${name}: said to be ${body.errorCode}`);
				}
			}
			// What an owner's own wallet pays counts against no limit, so it is in the intents alone.
			const [booked] = await db.query<{ raw: string }>(
				`select coalesce(sum((plan->>'valueRaw')::numeric), 0)::text as raw
				from wallets.intent where wallet_id = $1 and status = 'confirmed'`,
				[wallet.id],
			);
			const really = before - (await balance(address));
			const told = BigInt(booked?.raw ?? "0") + (await unbooked());
			if (really !== told) problems.push(`the owner paid ${really}, the books say ${told}`);
			return problems;
		},
	};

	/** What left the wallet and is no intent's: gas, and what it sent in a payment's place. */
	async function unbooked(): Promise<bigint> {
		for (const hash of hashes.splice(0)) {
			lastHash = hash;
			type Told = { gasUsed: Hex; effectiveGasPrice: Hex } | null;
			const receipt = await anvil.rpc<Told>("eth_getTransactionReceipt", [hash]);
			// What was replaced has none.
			if (!receipt) continue;
			beside += BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
			const { value } = await anvil.rpc<{ value: Hex }>("eth_getTransactionByHash", [hash]);
			if (BigInt(value) === OTHER_RAW) beside += OTHER_RAW;
		}
		return beside;
	}
}
