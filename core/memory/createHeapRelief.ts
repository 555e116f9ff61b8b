import { fullGC } from "bun:jsc";

/**
 * Collects garbage at a good moment: right after a large piece of work, whose data is no longer
 * needed, and only once the process has grown beyond a size.
 *
 * Left alone the collector sizes its heap by the machine and not by what we promise: catching up
 * 80,000 rows it grew to 280 MB; so, 190 MB, for a tenth more processor time. Measured with a full
 * collection after every range: 160 MB, and a third more time.
 */
export function createHeapRelief(options: {
	residentBytesMax: number;
	residentBytes?: () => number;
	collect?: () => void;
}): () => void {
	const { residentBytesMax, collect = fullGC } = options;
	const residentBytes = options.residentBytes ?? (() => process.memoryUsage.rss());
	return () => {
		if (residentBytes() > residentBytesMax) collect();
	};
}
