import { fullGC } from "bun:jsc";

/**
 * Collects garbage at a good moment: right after a large piece of work, whose data is no longer
 * needed, once the process is beyond `residentBytesMax`.
 *
 * Left alone the collector sizes its heap by the machine and not by what we promise: catching up
 * 80,000 rows it grew to 300 to 340 MB. Collections of young objects only, or beside the program,
 * left it at 260 to 300 MB (measured): what the lanes have under way is old by then.
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
