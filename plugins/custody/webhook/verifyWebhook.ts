// Verifies the wallet provider's webhooks, and reads which transaction one is about.

import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { defineFaults } from "#core/fault.ts";

export type WebhookEvent =
	| {
			kind: "transaction";
			name: TransactionEvent;
			/** Our submission's id; null where the request was not one of ours. */
			reference: string | null;
	  }
	/** About something else, or of a kind that did not exist when this was written. */
	| { kind: "other" };

/** Names why a webhook is refused. None shows more than its sender knows already. */
export const webhookFault = defineFaults({
	webhookHeaders: {
		status: 400,
		retry: "never",
		public: "svix-id, svix-timestamp and svix-signature are needed, each in its form.",
		advice: "Deliver with the three headers of Svix.",
	},
	webhookTime: {
		status: 401,
		retry: "never",
		public: "The webhook's time is more than five minutes from ours.",
		advice: "Set the sender's clock, and deliver again.",
	},
	webhookSignature: {
		status: 401,
		retry: "never",
		public: "No signature of the webhook is right.",
		advice: "Sign with the secret that is in WALLET_PROVIDER_WEBHOOK_SECRET here.",
	},
	webhookTooLarge: {
		status: 413,
		retry: "never",
		public: "The webhook is larger than 64 KiB.",
		advice: "Deliver fewer than 65,536 bytes.",
	},
	webhookEvent: {
		status: 422,
		retry: "never",
		public: "The webhook is no event.",
		advice: "Deliver one JSON event with its `type`.",
	},
});

/** An event is under 1 KB; one with its transaction's request a few. */
export const WEBHOOK_BYTES_MAX = 65_536;
/** Limits how far the time of a delivery may be from ours, in either direction. */
export const WEBHOOK_TOLERANCE_MS = 300_000;
export const WEBHOOK_ID_LENGTH_MAX = 128;
/** Limits the signatures of a webhook: while a secret is replaced there are two. */
export const SIGNATURES_PER_WEBHOOK_MAX = 8;
export const SIGNATURE_HEADER_LENGTH_MAX = 1_024;
export const SECRET_BYTES_MIN = 16;
export const SECRET_BYTES_MAX = 64;
export const EVENT_NAME_LENGTH_MAX = 128;
/** Limits the deliveries that are remembered; one that is forgotten too early costs a lookup. */
export const DELIVERIES_REMEMBERED_MAX = 10_000;
/** How long a delivery is remembered: its time may be in the future, by as much as is tolerated. */
export const DELIVERY_REMEMBERED_MS = 2 * WEBHOOK_TOLERANCE_MS;
/** Looks that one process lets webhooks ask for: a tenth of what a turn has room for. */
export const WAKES_PER_SECOND_MAX = 20;
/** Limits the webhooks about one transaction. An honest provider sends two or three. */
export const WAKES_PER_REFERENCE_MAX = 6;
export const WAKES_PER_REFERENCE_WINDOW_SECONDS = 60;

/** Lists the events of a transaction. They only cause a lookup, whichever it is. */
const TRANSACTION_EVENTS = [
	"broadcasted",
	"still_pending",
	"confirmed",
	"execution_reverted",
	"replaced",
	"failed",
	"provider_error",
] as const;
export type TransactionEvent = (typeof TRANSACTION_EVENTS)[number];

const EVENT_PREFIX = "transaction.";
const uuid = z.uuid();
const envelope = z.object({ type: z.string().min(1).max(EVENT_NAME_LENGTH_MAX) });
// Hash, chain and status are left alone on purpose: what is not read cannot be believed.
const body = z.object({ transaction_id: z.string(), reference_id: z.string().nullish() });

const SECRET_PREFIX = "whsec_";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const ID = new RegExp(`^[\\x21-\\x7e]{1,${WEBHOOK_ID_LENGTH_MAX}}$`);
const SECONDS = /^\d{1,12}$/;
const VERSION = "v1,";

/**
 * Returns the id of a delivery that the wallet provider sent in these very bytes, and lately: by
 * Svix's signature, HMAC-SHA256 over `id.timestamp.body`. Throws for every other delivery.
 *
 * Signatures of other versions are passed over, as Svix asks; each of ours is compared in constant
 * time and all of them are, so that time says nothing of which was nearly right.
 */
export function verifyWebhook(
	key: Uint8Array,
	given: { headers: Headers; body: Uint8Array; nowMs: number },
): string {
	const { headers, body, nowMs } = given;
	const id = headers.get("svix-id") ?? "";
	const timestamp = headers.get("svix-timestamp") ?? "";
	const signature = headers.get("svix-signature") ?? "";
	const isWhole = ID.test(id) && SECONDS.test(timestamp) && signature !== "";
	if (!isWhole || signature.length > SIGNATURE_HEADER_LENGTH_MAX)
		throw webhookFault.webhookHeaders();
	const signatures = signature.split(" ");
	if (signatures.length > SIGNATURES_PER_WEBHOOK_MAX) throw webhookFault.webhookHeaders();
	const mac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body);
	const expected = Buffer.from(`${VERSION}${mac.digest("base64")}`);
	const right = signatures.filter((one) => isSame(Buffer.from(one), expected));
	if (right.length === 0) throw webhookFault.webhookSignature();
	// Behind the signature: only the provider learns what our clock says.
	const offMs = Math.abs(nowMs - Number(timestamp) * 1_000);
	if (offMs > WEBHOOK_TOLERANCE_MS) throw webhookFault.webhookTime();
	return id;
}

/** Reads what a verified webhook is about; null: it is no event, or lacks what its kind has. */
export function readWebhookEvent(bytes: Uint8Array): WebhookEvent | null {
	const json = jsonOf(bytes);
	const event = envelope.safeParse(json);
	if (!event.success) return null;
	const { type } = event.data;
	const name = TRANSACTION_EVENTS.find((one) => type === `${EVENT_PREFIX}${one}`);
	if (name === undefined) return { kind: "other" };
	const about = body.safeParse(json);
	if (!about.success) return null;
	// We give every request a reference, and it is always a UUID.
	const { data: reference = null } = uuid.safeParse(about.data.reference_id);
	return { kind: "transaction", name, reference };
}

/** Returns the key in a `whsec_…` secret; null: it is none. The prefix is no part of the key. */
export function readWebhookSecret(text: string): Uint8Array | null {
	const base64 = text.slice(SECRET_PREFIX.length);
	if (!text.startsWith(SECRET_PREFIX) || !BASE64.test(base64)) return null;
	const key = Buffer.from(base64, "base64");
	return key.length >= SECRET_BYTES_MIN && key.length <= SECRET_BYTES_MAX ? key : null;
}

/** Compares in constant time. The length of a right one is no secret. */
function isSame(one: Uint8Array, other: Uint8Array): boolean {
	return one.length === other.length && timingSafeEqual(one, other);
}

function jsonOf(bytes: Uint8Array): unknown {
	try {
		return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
	} catch {
		return null;
	}
}
