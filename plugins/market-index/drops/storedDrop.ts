import type { StoredStage } from "#plugins/market-index/drops/DropRow.ts";
import type { ProviderDrop, ProviderDropStage } from "#plugins/provider/contract.ts";

export type StoredDrop = Omit<ProviderDrop, "stages"> & {
	stages: StoredStage[];
	startsAtMs: number | null;
	endsAtMs: number | null;
};

/**
 * Returns a drop with its stages in order and the time from the first one's start to the last one's
 * end. A list names the active and the next stage only; a stage without an end leaves the end open.
 */
export function storedDrop(drop: ProviderDrop): StoredDrop {
	const told = drop.stages.length > 0 ? drop.stages : [drop.activeStage, drop.nextStage];
	const byId = new Map<string, ProviderDropStage>();
	for (const stage of told) if (stage) byId.set(stage.uuid, stage);
	const stages = [...byId.values()].sort(
		(a, b) =>
			(a.startsAtMs ?? Number.NEGATIVE_INFINITY) - (b.startsAtMs ?? Number.NEGATIVE_INFINITY),
	);
	const starts = stages.flatMap(({ startsAtMs }) => startsAtMs ?? []);
	const ends = stages.flatMap(({ endsAtMs }) => endsAtMs ?? []);
	return {
		...drop,
		stages: stages.map(storedStage),
		startsAtMs: starts.length > 0 ? Math.min(...starts) : null,
		endsAtMs: stages.length > 0 && ends.length === stages.length ? Math.max(...ends) : null,
	};
}

function storedStage(stage: ProviderDropStage): StoredStage {
	return {
		type: stage.type,
		label: stage.label,
		priceRaw: stage.priceRaw?.toString() ?? null,
		currency: stage.currency,
		startsAt: isoOf(stage.startsAtMs),
		endsAt: isoOf(stage.endsAtMs),
		maxPerWallet: stage.maxPerWallet?.toString() ?? null,
	};
}

function isoOf(ms: number | null): string | null {
	return ms === null ? null : new Date(ms).toISOString();
}
