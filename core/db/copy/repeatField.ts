/** Writes a field again that stands at `from`: a loop, as for a few bytes a call takes longer. */
export function repeatField(view: DataView, from: number, at: number, bytes: number): number {
	let done = 0;
	for (; done + 4 <= bytes; done += 4) view.setInt32(at + done, view.getInt32(from + done));
	for (; done < bytes; done += 1) view.setUint8(at + done, view.getUint8(from + done));
	return bytes;
}
