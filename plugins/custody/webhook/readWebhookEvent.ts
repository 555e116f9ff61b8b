import { z } from "zod";
import { EVENT_NAME_LENGTH_MAX } from "#plugins/custody/webhook/limits.ts";

/** What can be said of a transaction. The words are not used: whatever they are, we go and look. */
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

export type WebhookEvent =
	| {
			kind: "transaction";
			name: TransactionEvent;
			/** Our submission's id; null where the request was not one of ours. */
			reference: string | null;
	  }
	/** About something else, or of a kind that did not exist when this was written. */
	| { kind: "other" };

const PREFIX = "transaction.";
const uuid = z.uuid();
const envelope = z.object({ type: z.string().min(1).max(EVENT_NAME_LENGTH_MAX) });
// Hash, chain and status are left alone on purpose: what is not read cannot be believed.
const body = z.object({ transaction_id: z.string(), reference_id: z.string().nullish() });

/** Reads what a verified webhook is about; null: it is no event, or lacks what its kind has. */
export function readWebhookEvent(bytes: Uint8Array): WebhookEvent | null {
	const json = jsonOf(bytes);
	const event = envelope.safeParse(json);
	if (!event.success) return null;
	const { type } = event.data;
	const name = TRANSACTION_EVENTS.find((one) => type === `${PREFIX}${one}`);
	if (name === undefined) return { kind: "other" };
	const about = body.safeParse(json);
	if (!about.success) return null;
	// We give every request a reference, and it is always a UUID.
	const { data: reference = null } = uuid.safeParse(about.data.reference_id);
	return { kind: "transaction", name, reference };
}

function jsonOf(bytes: Uint8Array): unknown {
	try {
		return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
	} catch {
		return null;
	}
}
