/** Log lines and times in the forms of the real programs. */

/** A line as klog writes it: `E1130 21:21:01.414013     262 run.go:72] …`. */
export function formatKlog(
  level: 'I' | 'W' | 'E' | 'F',
  now: number,
  pid: number,
  place: string,
  text: string,
): string {
  const time = new Date(now).toISOString();
  const date = `${time.slice(5, 7)}${time.slice(8, 10)}`;
  const micros = `${time.slice(11, 23)}${String(((now * 7919 + pid) % 1000) | 0).padStart(3, '0')}`;
  return `${level}${date} ${micros} ${String(pid).padStart(7)} ${place}] ${text}`;
}

/** A line as etcd's logger writes it. */
export function formatEtcdLine(level: string, now: number, caller: string, message: string, more: object = {}): string {
  return JSON.stringify({
    level,
    ts: `${new Date(now).toISOString().slice(0, -1)}000Z`,
    caller,
    msg: message,
    ...more,
  });
}

/** An error inside a klog value: quotes are escaped. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

/** Times of objects: seconds only. */
export function toTime(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}

/** Times of leases: microseconds. */
export function toMicroTime(now: number): string {
  return `${new Date(now).toISOString().slice(0, -1)}000Z`;
}
