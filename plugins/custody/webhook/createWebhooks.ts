import type { Clock } from "#core/clock/Clock.ts";
import { createMemoryLimiter } from "#core/limiter/createMemoryLimiter.ts";
import type { Metrics } from "#core/metrics/createMetrics.ts";
import type { Look } from "#plugins/custody/contract.ts";
import { createDeliveries } from "#plugins/custody/webhook/createDeliveries.ts";
import { webhookFault } from "#plugins/custody/webhook/faults.ts";
import {
	DELIVERIES_REMEMBERED_MAX,
	WAKES_PER_REFERENCE_MAX,
	WAKES_PER_REFERENCE_WINDOW_SECONDS,
	WAKES_PER_SECOND_MAX,
	WEBHOOK_BYTES_MAX,
} from "#plugins/custody/webhook/limits.ts";
import { readWebhookEvent, type WebhookEvent } from "#plugins/custody/webhook/readWebhookEvent.ts";
import { verifyWebhook } from "#plugins/custody/webhook/verifyWebhook.ts";

/** What came of a webhook. `idle`: there is nothing of ours to look at, or it is due already. */
export type WebhookOutcome = "woken" | "idle" | "limited" | "repeated" | "ignored";

export type Webhooks = {
	/** Takes a delivery. Throws a Fault where it is not the wallet provider's, or no event. */
	receive(delivery: { headers: Headers; body: Uint8Array }): Promise<WebhookOutcome>;
};

/**
 * Takes what the wallet provider tells of its own accord. It is a hint and nothing else: the most
 * that any webhook does, true or not, is that `look` is called for the request that it names.
 */
export function createWebhooks(
	key: Uint8Array,
	{ look, clock, metrics }: { look: Look; clock: Clock; metrics: Metrics },
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
		return (await look(reference)) ? "woken" : "idle";
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
