// Sends the wallet provider's webhooks, with their faults.

import { randomBytes, randomUUID } from "node:crypto";
import type { Clock } from "#core/clock.ts";
import { sleep } from "#core/time.ts";
import type { CustodyFault, CustodyFaultList } from "./CustodyFault.ts";
import { type Attempt, type CustodyOffice, type Postbox, statusOf } from "./CustodyOffice.ts";
import type { StoredTransaction } from "./createCustodyStore.ts";

export type PostboxOptions = {
	clock: Clock;
	faults: CustodyFaultList;
	stopped: AbortSignal;
	/** Runs work in the background. */
	later(work: () => Promise<void>): void;
};

/** An event to deliver; its content stays the same however often it is sent. */
type Envelope = { id: string; type: string; body: string; transactionId: string };

const ATTEMPTS_KEPT_MAX = 10_000;
const HELD_MAX = 1_000;
const TIMEOUT_MS = 5_000;
/** The real provider retries for days. */
const AGAIN_AFTER_MS = [500, 2_000];
const LATE_MS = 1_000;

const LOOK_EVERY_MS = 200;
const FOLLOW_MAX_MS = 600_000;
/** The most transactions followed at once: each costs the node calls at each look. */
const FOLLOWED_MAX = 200;
const LAST = new Set(["confirmed", "execution_reverted", "replaced", "failed", "provider_error"]);
const followed = new WeakMap<CustodyOffice, number>();

/** Makes the sender of webhooks: at least once, like the provider, with its faults. */
export function createPostbox(options: PostboxOptions): Postbox {
	const { clock, faults, stopped, later } = options;
	const secret = newSecret();
	let to: string | null = null;
	const attempts: Attempt[] = [];
	/** Events held until the next one of the same transaction is delivered. */
	const held = new Map<string, Envelope>();

	const sign = (envelope: Envelope, by = secret) =>
		signWebhook(by, { ...envelope, nowMs: clock.nowMs() });

	async function post(envelope: Envelope, headers: Record<string, string>): Promise<boolean> {
		const { id, type, body, transactionId } = envelope;
		const attempt: Attempt = { id, type, transactionId, status: null, answer: "" };
		if (to === null) return true;
		try {
			const response = await fetch(to, {
				method: "POST",
				headers: { "content-type": "application/json", ...headers },
				body,
				redirect: "manual",
				signal: AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MS)]),
			});
			attempt.status = response.status;
			attempt.answer = await response.text();
		} catch {
			// There was no answer; it is sent again.
		}
		attempts.push(attempt);
		if (attempts.length > ATTEMPTS_KEPT_MAX) attempts.shift();
		return attempt.status !== null && attempt.status < 300;
	}

	/**
	 * Sends until it is accepted or given up: the same id, signed again with the time of each
	 * attempt.
	 */
	async function deliver(envelope: Envelope): Promise<void> {
		for (const waitMs of [0, ...AGAIN_AFTER_MS]) {
			await sleep(waitMs, stopped);
			if (stopped.aborted || (await post(envelope, sign(envelope)))) break;
		}
		const waiting = held.get(envelope.transactionId);
		if (!waiting || waiting === envelope) return;
		held.delete(envelope.transactionId);
		await deliver(waiting);
	}

	async function misdeliver(envelope: Envelope, fault: CustodyFault): Promise<void> {
		const delayMs = fault.delayMs ?? LATE_MS;
		switch (fault.kind) {
			case "webhook_late":
				return later(async () => {
					await sleep(delayMs, stopped);
					await deliver(envelope);
				});
			case "webhook_twice":
				return void (await Promise.all([deliver(envelope), deliver(envelope)]));
			case "webhook_replay": {
				const headers = sign(envelope);
				await post(envelope, headers);
				return later(async () => {
					await sleep(delayMs, stopped);
					await post(envelope, headers);
				});
			}
			case "webhook_forged":
				return void (await post(envelope, sign(envelope, newSecret())));
			case "webhook_swapped":
				if (held.size < HELD_MAX) held.set(envelope.transactionId, envelope);
				return;
			default:
				// The fault `webhook_never`.
				return;
		}
	}

	return {
		secret,
		url: () => to,
		sendTo(url) {
			to = url;
		},
		async tell(event, about) {
			if (to === null) return;
			const fault = faults.takeWebhook(`WEBHOOK transaction.${event}`);
			const isLie = fault?.kind === "webhook_lie";
			const envelope = envelopeOf(isLie ? (fault.says ?? "failed") : event, about);
			if (fault && !isLie) await misdeliver(envelope, fault);
			else await deliver(envelope);
		},
		attempts: () => [...attempts],
	};
}

/**
 * Returns Svix's headers. They are made by other code than the service's, so that one mistake
 * cannot hide in both.
 */
export function signWebhook(
	secret: string,
	{ id, nowMs, body }: { id: string; nowMs: number; body: string },
): Record<string, string> {
	const seconds = String(Math.floor(nowMs / 1_000));
	const key = Uint8Array.fromBase64(secret.replace("whsec_", ""));
	const hasher = new Bun.CryptoHasher("sha256", key);
	const signature = hasher.update([id, seconds, body].join(".")).digest("base64");
	return { "svix-id": id, "svix-timestamp": seconds, "svix-signature": `v1,${signature}` };
}

/**
 * Sends a webhook for each step of a transaction, until it is final. Without a receiver nothing is
 * followed; a restart forgets what was followed.
 */
export function followTransaction(office: CustodyOffice, id: string): void {
	const count = followed.get(office) ?? 0;
	if (office.postbox.url() === null || count >= FOLLOWED_MAX) return;
	followed.set(office, count + 1);
	office.later(async (stopped) => {
		try {
			await follow(office, id, stopped);
		} finally {
			followed.set(office, (followed.get(office) ?? 1) - 1);
		}
	});
}

function newSecret(): string {
	return `whsec_${randomBytes(24).toString("base64")}`;
}

function envelopeOf(event: string, about: StoredTransaction): Envelope {
	const { id: transactionId, caip2, hash, walletId, referenceId } = about;
	const type = `transaction.${event}`;
	const body = JSON.stringify({
		type,
		caip2,
		transaction_hash: hash,
		transaction_id: transactionId,
		wallet_id: walletId,
		...(referenceId !== null && { reference_id: referenceId }),
	});
	return { id: `msg_${randomUUID().replaceAll("-", "")}`, type, body, transactionId };
}

async function follow(office: CustodyOffice, id: string, stopped: AbortSignal): Promise<void> {
	const { store, postbox } = office;
	const giveUpAtMs = performance.now() + FOLLOW_MAX_MS;
	let told = "pending";
	while (!stopped.aborted && performance.now() < giveUpAtMs) {
		const transaction = store.byId(id);
		if (!transaction) return;
		// With automatic mining there is no time for this step, but it is sent all the same.
		const isOut = told === "pending" && transaction.status === "broadcasted";
		const status = isOut ? "broadcasted" : await knownStatus(office, transaction);
		if (status !== told) await postbox.tell(status, transaction);
		told = status;
		if (LAST.has(status)) return;
		if (!isOut) await sleep(LOOK_EVERY_MS, stopped);
	}
}

/**
 * Returns the status; `pending` while it is being handed to the node, even if the chain has it
 * already.
 */
async function knownStatus(office: CustodyOffice, transaction: StoredTransaction): Promise<string> {
	return transaction.status === "pending" ? "pending" : await statusOf(office, transaction);
}
