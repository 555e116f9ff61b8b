import { z } from "zod";

/** What goes wrong on demand; `path` is a pattern of the calls that it is for. */
export const SocialFault = z.strictObject({
	kind: z.enum([
		/** Too often: nothing is done. `retryAfter` in seconds. */
		"429",
		/** It is done, and the answer is a 429 all the same. */
		"lost_429",
		/** The answer has this `status`, and nothing is done. */
		"status",
		/** It is done, and the answer is a 500. */
		"lost",
		/** It is done, and no answer comes. */
		"silence",
		/** Nothing is done, and no answer comes. */
		"dead",
		/** The answer after `delayMs`. */
		"slow",
		"html",
		/** Of deliveries: not sent, sent twice, sent after the next one. */
		"drop_delivery",
		"duplicate_delivery",
		"late_delivery",
	]),
	path: z.string().default(""),
	status: z.int().min(300).max(599).default(503),
	retryAfter: z.int().min(1).max(86_400).default(60),
	delayMs: z.int().min(1).max(120_000).default(3_000),
	times: z.int().min(1).optional(),
});
export type SocialFault = z.output<typeof SocialFault>;
export type SocialFaultOrder = z.input<typeof SocialFault>;

/** Orders of what shall go wrong, taken one by one. */
export function createSocialFaults() {
	let orders: { fault: SocialFault; left: number }[] = [];
	return {
		add(order: SocialFaultOrder): void {
			const fault = SocialFault.parse(order);
			orders.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY });
		},
		clear(): void {
			orders = [];
		},
		all: () => orders.map(({ fault }) => fault),
		/** The first that is for this call, or for a delivery. */
		take(what: "call" | "delivery", path: string): SocialFault | null {
			const wanted = orders.find(({ fault }) => {
				const isDelivery = fault.kind.endsWith("_delivery");
				return isDelivery === (what === "delivery") && new RegExp(fault.path).test(path);
			});
			if (!wanted) return null;
			wanted.left -= 1;
			if (wanted.left <= 0) orders = orders.filter((one) => one !== wanted);
			return wanted.fault;
		},
	};
}

export type SocialFaults = ReturnType<typeof createSocialFaults>;
