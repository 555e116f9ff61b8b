import { CustodyFault, type CustodyFaultOrder } from "./CustodyFault.ts";

export type CustodyFaultList = {
	add(order: CustodyFaultOrder): void;
	clear(): void;
	all(): CustodyFault[];
	/**
	 * Returns the first fault for a call (`METHOD /path?query`) about a wallet, and counts it as
	 * used.
	 */
	take(call: string, walletId?: string | null): CustodyFault | null;
	/** Does the same for a webhook (`WEBHOOK transaction.confirmed`). */
	takeWebhook(webhook: string): CustodyFault | null;
};

const FAULTS_MAX = 1_000;

/** Makes the list of ordered faults. */
export function createCustodyFaultList(): CustodyFaultList {
	let faults: { fault: CustodyFault; pattern: RegExp; left: number }[] = [];
	return {
		add(order) {
			const fault = CustodyFault.parse(order);
			const left = fault.times ?? Number.POSITIVE_INFINITY;
			if (faults.length < FAULTS_MAX) {
				faults.push({ fault, pattern: new RegExp(fault.path ?? ""), left });
			}
		},
		clear() {
			faults = [];
		},
		all: () =>
			faults.map(({ fault, left }) => ({
				...fault,
				...(Number.isFinite(left) && { times: left }),
			})),
		take: (call, walletId = null) => take(call, { isWebhook: false, walletId }),
		takeWebhook: (webhook) => take(webhook, { isWebhook: true, walletId: null }),
	};

	function take(
		what: string,
		{ isWebhook, walletId }: { isWebhook: boolean; walletId: string | null },
	): CustodyFault | null {
		const entry = faults.find(({ fault, pattern }) => {
			if (fault.wallet !== undefined && fault.wallet !== walletId) return false;
			return fault.kind.startsWith("webhook_") === isWebhook && pattern.test(what);
		});
		if (!entry) return null;
		entry.left -= 1;
		if (entry.left <= 0) faults = faults.filter((other) => other !== entry);
		return entry.fault;
	}
}
