import { createHash } from "node:crypto";

/** Part of the rotation period after which a kubeconfig is replaced at the latest. */
const factor = 0.95;
const minuteMs = 60_000;

export interface RotationSettings {
  /** Lifetime that Gardener is asked for, in milliseconds. */
  readonly lifetimeMs: number;
  /** Part of the lifetime that makes the rotation period, 0 to 1. */
  readonly ratio: number;
}

/** The rotation period: part of the lifetime, cut to whole minutes. */
export function rotationPeriodMs({ lifetimeMs, ratio }: RotationSettings): number {
  return Math.floor((lifetimeMs * ratio) / minuteMs) * minuteMs;
}

/** Age at which a kubeconfig is replaced at the latest. */
export function latestAgeMs(periodMs: number): number {
  return factor * periodMs;
}

/**
 * How long to wait before the next look, without smoothing: the rest of the period, or a whole one when there is no
 * rest.
 *
 * @param lastSync - when the kubeconfig was written; undefined when nobody knows.
 */
export function rotationTimerMs(lastSync: number | undefined, now: number, periodMs: number): number {
  const whole = latestAgeMs(periodMs);
  const left = lastSync === undefined ? whole : whole - (now - lastSync);
  return left > 0 ? left : whole;
}

export interface KubeconfigAge {
  /** When the kubeconfig was written, in milliseconds since the epoch. */
  readonly lastSync: number;
  /** Until when it is valid, where Gardener said so; it may grant less than was asked for. */
  readonly expiresAt?: number;
  /** Names the cluster; clusters written at one time are replaced at different times. */
  readonly name: string;
}

/**
 * When a kubeconfig is to be replaced, in milliseconds since the epoch.
 *
 * Every cluster has a fixed place in the period, so that Gardener gets an even stream of requests even after an outage
 * or a mass creation put all clusters in step. A kubeconfig is at least half and at most a whole latest age old by
 * then; out of step, it takes two rotations to be back in place.
 */
export function dueAt({ lastSync, expiresAt, name }: KubeconfigAge, settings: RotationSettings): number {
  const granted = expiresAt === undefined ? settings.lifetimeMs : Math.min(expiresAt - lastSync, settings.lifetimeMs);
  const age = latestAgeMs(rotationPeriodMs({ ...settings, lifetimeMs: Math.max(0, granted) }));
  if (age === 0) return lastSync;
  const latest = lastSync + age;
  const place = latest - ((latest - placeOf(name) * age) % age);
  return place - lastSync >= age / 2 ? place : place + age / 2;
}

/** A number from 0 to 1, evenly spread over names. */
function placeOf(name: string): number {
  return createHash("sha256").update(name).digest().readUInt32BE(0) / 2 ** 32;
}
