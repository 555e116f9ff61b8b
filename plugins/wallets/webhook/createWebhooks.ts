import type { Clock } from "#core/clock/Clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import { createMemoryLimiter } from "#core/limiter/createMemoryLimiter.ts";
import type { Metrics } from "#core/metrics/createMetrics.ts";
import { createDeliveries } from "#plugins/wallets/webhook/createDeliveries.ts";
import { webhookFault } from "#plugins/wallets/webhook/faults.ts";
import {
	DELIVERIES_REMEMBERED_MAX,
	WAKES_PER_REFERENCE_MAX,
	WAKES_PER_REFERENCE_WINDOW_SECONDS,
	WAKES_PER_SECOND_MAX,
	WEBHOOK_BYTES_MAX,
} from "#plugins/wallets/webhook/limits.ts";
import { readWebhookEvent, type WebhookEvent } from "#plugins/wallets/webhook/readWebhookEvent.ts";
import { verifyWebhook } from "#plugins/wallets/webhook/verifyWebhook.ts";

/** `idle`: there is nothing of ours to look at, or it is due already. */
export type WebhookOutcome = "woken" | "idle" | "limited" | "repeated" | "ignored";

export type Webhooks = {
	/** Throws a fault where it is not the wallet provider's, or no event. */
	receive(delivery: { headers: Headers; body: Uint8Array }): Promise<WebhookOutcome>;
};

/**
 * What the wallet provider tells of its own accord. It is a hint and nothing else: the most that
 * any webhook does, true or not, is that a submission is looked at sooner than it would have been.
 */
export function createWebhooks(
	key: Uint8Array,
	{ db, clock, metrics }: { db: Queryable; clock: Clock; metrics: Metrics },
): Webhooks {
	const deliveries = createDeliveries(clock);
	const ofAll = createMemoryLimiter({
		requestsMax: WAKES_PER_SECOND_MAX,
		windowSeconds: 1,
		keysMax: 1,
		clock,
	});
	const ofReference = createMemoryLimiter({
		requestsMax: WAKES_PER_REFERENCE_MAX,
		windowSeconds: WAKES_PER_REFERENCE_WINDOW_SECONDS,
		keysMax: DELIVERIES_REMEMBERED_MAX,
		clock,
	});
	const received = metrics.counter({
		name: "wallet_webhooks_total",
		help: "Webhooks of the wallet provider, by what they were about and what came of them.",
		labels: ["event", "outcome"],
	});

	async function act(event: WebhookEvent): Promise<WebhookOutcome> {
		if (event.kind === "other") return "ignored";
		const { reference } = event;
		if (reference === null) return "idle";
		const isAllowed = ofReference.takeNow(reference).allowed && ofAll.takeNow("all").allowed;
		// Answered like the others: nothing is lost, it is looked at when its time comes.
		if (!isAllowed) return "limited";
		const at = new Date(clock.nowMs());
		return (await wakeSubmission(db, { id: reference, at })) ? "woken" : "idle";
	}

	async function take(event: WebhookEvent, id: string): Promise<WebhookOutcome> {
		if (!deliveries.take(id)) return "repeated";
		try {
			return await act(event);
		} catch (error) {
			deliveries.giveBack(id);
			throw error;
		}
	}

	return {
		async receive({ headers, body }) {
			let event = "unread";
			let outcome: WebhookOutcome | "refused" | "failed" = "refused";
			try {
				if (body.byteLength > WEBHOOK_BYTES_MAX) throw webhookFault.webhookTooLarge();
				const id = verifyWebhook(key, { headers, body, nowMs: clock.nowMs() });
				const read = readWebhookEvent(body);
				if (!read) throw webhookFault.webhookEvent();
				event = read.kind === "transaction" ? read.name : "other";
				outcome = "failed";
				outcome = await take(read, id);
				return outcome;
			} finally {
				received.inc({ event, outcome });
			}
		},
	};
}

/**
 * Has a submission looked at in the reconciler's next turn, by its primary key. Behind all that is
 * due already, whose `look_at` is earlier, and never later than it was to be looked at anyway. True
 * where that is news: what is final or was never handed over is left alone, as is what is due.
 */
async function wakeSubmission(
	db: Queryable,
	{ id, at }: { id: string; at: Date },
): Promise<boolean> {
	const woken = await db.execute(
		`update wallets.submission set look_at = $2
		where id = $1 and final_at is null and state <> 'queued' and look_at > $2`,
		[id, at],
	);
	return woken > 0;
}
