import type { ProviderFigure, ProviderStats } from "#plugins/provider/contract.ts";
import { RAW_BYTES_MAX } from "#plugins/provider/limits.ts";
import { keepRaw } from "#plugins/provider/wire/keepRaw.ts";
import type { Reading } from "#plugins/provider/wire/Reading.ts";
import { wire } from "#plugins/provider/wire/wire.ts";
import { wireField } from "#plugins/provider/wire/wireField.ts";

/**
 * Reads the figures of a collection. The provider writes 0 and an empty symbol for what it does not
 * know, so neither is passed on as a figure; nor is a volume of zero with sales.
 */
export function readStats(answer: unknown): Reading<ProviderStats> {
	const read = wire.stats.safeParse(answer);
	const sent = wireField.record.parse(answer);
	if (!read.success || !sent || read.data.total === null) return "unreadable";
	const total = wire.statsTotal.parse(read.data.total);
	const isVolumeKnown = total.volume !== 0 || total.sales === 0;
	return {
		floor: total.floor_price === 0 ? null : figure(total.floor_price, total.floor_price_symbol),
		owners: total.num_owners || null,
		volumeTotal: isVolumeKnown ? figure(total.volume, total.volume_symbol) : null,
		salesTotal: total.sales,
		raw: keepRaw(sent, { bytesMax: RAW_BYTES_MAX, mayShorten: true }) ?? {},
	};
}

function figure(value: number | null, symbol: string | null): ProviderFigure {
	return value === null || symbol === null ? null : { value, symbol };
}
