const LENGTH_BYTES = 4;

/**
 * Copies the field at `from`, and returns its bytes: by a loop, because for so few bytes a runtime
 * call takes longer.
 */
export function repeatField(view: DataView, from: number, at: number): number {
	const bytes = LENGTH_BYTES + view.getInt32(from);
	let done = 0;
	for (; done + 4 <= bytes; done += 4) view.setInt32(at + done, view.getInt32(from + done));
	for (; done < bytes; done += 1) view.setUint8(at + done, view.getUint8(from + done));
	return bytes;
}
