import { assert } from "#core/fault/assert.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { BridgeContext } from "#plugins/bridge/BridgeContext.ts";
import type { Bridges } from "#plugins/bridge/bridges/createBridges.ts";
import type { BridgeView } from "#plugins/bridge/bridges/renderBridge.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import {
	type Bridge,
	changeBridge,
	lockBridge,
	moveBridge,
	readBridge,
} from "#plugins/bridge/sql/bridges.ts";

/** Statuses of an intent that nothing was sent of. */
const WAITING: readonly string[] = ["created", "confirmation_required", "signature_required"];

export type BridgeOperations = ReturnType<typeof operateBridges>;

/** What operators do with anybody's bridges. Each change is in the audit log with its actor. */
export function operateBridges(context: BridgeContext, bridges: Bridges) {
	const { core, wallets } = context;

	async function find(id: string): Promise<Bridge> {
		const bridge = await readBridge(core.db, id);
		if (!bridge) throw bridgeFault.notFound();
		return bridge;
	}

	const show = async (id: string): Promise<BridgeView> => bridges.show(await find(id));

	/** What waits for its owner is called off; what was sent, or is being sent, is left alone. */
	async function callOff({ intentId, profileId }: Bridge, actor: string): Promise<void> {
		const intent = intentId === null ? null : await wallets.execution.read(intentId, profileId);
		if (!intent || !WAITING.includes(intent.status)) return;
		try {
			const by = { actor: `operator:${actor}`, signal: context.ending };
			await wallets.execution.cancel(intent.id, by);
		} catch (error) {
			// It moved meanwhile: its next plan is denied all the same.
			if (!(error instanceof Fault)) throw error;
		}
	}

	return {
		show,
		/** Has a bridge go on that stands still. A quote that holds is used again. */
		async retry(id: string, actor: string): Promise<BridgeView> {
			const bridge = await find(id);
			if (bridge.status !== "created" && bridge.status !== "quoted") {
				throw bridgeFault.bridgeState();
			}
			const at = new Date(core.clock.nowMs());
			await core.db.transaction(async (tx) => {
				await changeBridge(tx, id, { lookAt: at, heldAt: null, errorCode: null });
				await audit(context, tx, { actor, action: "bridge.retried", id, detail: {} });
			});
			await bridges.goOn(id);
			return await show(id);
		},
		/** Ends a bridge, or holds back its next step. Its money is followed all the same. */
		async disable(id: string, actor: string): Promise<BridgeView> {
			const bridge = await find(id);
			const at = new Date(core.clock.nowMs());
			await core.db.transaction(async (tx) => {
				const held = await lockBridge(tx, id);
				assert(held, "a bridge that was read is there");
				await changeBridge(tx, id, { heldAt: at });
				if (held.intentId === null) {
					const change = { lookAt: null, errorCode: "bridge_disabled" };
					await moveBridge(tx, held, { event: "disable", at, change });
				}
				const detail = { status: held.status };
				await audit(context, tx, { actor, action: "bridge.disabled", id, detail });
			});
			await callOff(bridge, actor);
			await bridges.goOn(id);
			return await show(id);
		},
	};
}

type Audited = { actor: string; action: string; id: string; detail: Record<string, unknown> };

async function audit(
	{ core }: BridgeContext,
	tx: Parameters<BridgeContext["core"]["audit"]["append"]>[0],
	{ actor, action, id, detail }: Audited,
): Promise<void> {
	await core.audit.append(tx, {
		...{ actor: `operator:${actor}`, action, subject: `bridge:${id}`, detail },
	});
}
