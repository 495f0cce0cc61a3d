package chargehand

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"time"
)

// TimeLayout is how a record writes its time: RFC 3339 in UTC, always six decimals.
const TimeLayout = "2006-01-02T15:04:05.000000Z"

// Type is the fact's stable name, such as "run_started"; empty for a fact outside the closed set.
func (r Record) Type() string {
	if k := factTypes[reflect.TypeOf(r.Fact)]; k != nil {
		return k.name
	}
	return ""
}

// usualLine is more than most records take, in bytes.
const usualLine = 768

// MarshalJSON writes {"run","seq","at","type","data"}, in that order.
func (r Record) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil) }

// AppendJSON appends the record as one line of JSON, without a line break, to dst. Unlike
// json.Marshal it leaves raw JSON inside a fact as it is, apart from white space between tokens.
func (r Record) AppendJSON(dst []byte) ([]byte, error) {
	kind := factTypes[reflect.TypeOf(r.Fact)]
	if kind == nil {
		return dst, fmt.Errorf("record %d of run %q: %T is not a fact that can be written", r.Seq, r.Run, r.Fact)
	}
	s := sinks.Get().(*sink)
	s.out = append(room(dst, usualLine), `{"run":`...)
	s.text(r.Run)
	s.out = append(s.out, `,"seq":`...)
	s.out = strconv.AppendInt(s.out, r.Seq, 10)
	s.out = append(s.out, `,"at":"`...)
	s.moment(r.At)
	s.out = append(s.out, `","type":"`...)
	s.out = append(s.out, kind.name...)
	s.out = append(s.out, `","data":`...)
	kind.codec().write(s, reflect.ValueOf(r.Fact))
	s.out = append(s.out, '}')
	out, err := s.release()
	if err != nil {
		return dst, fmt.Errorf("write %s: %w", kind.name, err)
	}
	return out, nil
}

// UnmarshalJSON reads what MarshalJSON wrote. A type this program does not know is an *Error of
// CodeFormat: it was written by a newer one.
func (r *Record) UnmarshalJSON(b []byte) error {
	if line, ok := cutLine(b); ok && r.read(line) == nil {
		return nil
	}
	var line recordLine
	if err := json.Unmarshal(b, &line); err != nil {
		return fmt.Errorf("read record: %w", err)
	}
	return r.read(line)
}

func (r *Record) read(line recordLine) error {
	kind := factNames[line.Type]
	if kind == nil {
		return &Error{
			Code: CodeFormat,
			What: fmt.Sprintf("record %d of run %q cannot be read", line.Seq, line.Run),
			Why:  fmt.Sprintf("its type %q is not known to this version of chargehand", line.Type),
			Next: "use the version of chargehand that wrote it, or a newer one",
		}
	}
	fact, err := kind.decode(line.Data)
	if err != nil {
		return fmt.Errorf("read %s, record %d of run %q: %w", line.Type, line.Seq, line.Run, err)
	}
	*r = Record{line.Run, line.Seq, line.At.UTC(), fact}
	return nil
}

// A recordLine is a record whose data has not been read.
type recordLine struct {
	Run  string          `json:"run"`
	Seq  int64           `json:"seq"`
	At   time.Time       `json:"at"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// cutLine takes a line apart that is exactly as AppendJSON writes it: reading the data once is most
// of the work of reading a record, and json would read it three times.
func cutLine(b []byte) (l recordLine, ok bool) {
	field := func(lead string, end byte) (v []byte) {
		if !ok || !bytes.HasPrefix(b, []byte(lead)) {
			ok = false
			return nil
		}
		b = b[len(lead):]
		n := bytes.IndexByte(b, end)
		if ok = n >= 0; !ok {
			return nil
		}
		v, b = b[:n], b[n:]
		return v
	}
	ok = true
	run := field(`{"run":"`, '"')
	seq := field(`","seq":`, ',')
	at := field(`,"at":"`, '"')
	name := field(`","type":"`, '"')
	data, closed := bytes.CutSuffix(b, []byte("}"))
	data, led := bytes.CutPrefix(data, []byte(`","data":`))
	if !ok || !closed || !led || !plainText(run) {
		return recordLine{}, false
	}
	l = recordLine{Run: string(run), Type: string(name), Data: data}
	var errSeq error
	l.Seq, errSeq = strconv.ParseInt(string(seq), 10, 64)
	errAt := l.At.UnmarshalText(at)
	return l, errSeq == nil && errAt == nil && l.Seq > 0 && seq[0] != '+' && seq[0] != '0'
}

// A factKind ties a fact's stable name to its Go type.
type factKind struct {
	name   string
	typ    reflect.Type
	codec  func() codec
	decode func([]byte) (Fact, error)
}

func kind[T Fact](name string) factKind {
	t := reflect.TypeFor[T]()
	quick := sync.OnceValue(func() codec { return codecOf(t) })
	return factKind{name, t, quick, func(b []byte) (Fact, error) {
		var f T
		if quick().readAll(b, reflect.ValueOf(&f).Elem()) {
			return f, nil
		}
		var g T
		err := json.Unmarshal(b, &g)
		return g, err
	}}
}

// factKinds is the closed set. A name is part of the journal's format and never changes.
var factKinds = []factKind{
	kind[RunStarted]("run_started"),
	kind[PlanAsked]("plan_asked"),
	kind[PlanRefused]("plan_refused"),
	kind[PlanAdvised]("plan_advised"),
	kind[PlanProposed]("plan_proposed"),
	kind[PlanAdopted]("plan_adopted"),
	kind[SubtasksPlanned]("subtasks_planned"),
	kind[SubtasksQueued]("subtasks_queued"),
	kind[SubtasksReplaced]("subtasks_replaced"),
	kind[AttemptStarted]("attempt_started"),
	kind[AttemptResumed]("attempt_resumed"),
	kind[OutputChecked]("output_checked"),
	kind[AttemptFailed]("attempt_failed"),
	kind[AttemptStopped]("attempt_stopped"),
	kind[LateResult]("late_result"),
	kind[JudgeAsked]("judge_asked"),
	kind[Judged]("judged"),
	kind[JudgeFailed]("judge_failed"),
	kind[RetryPlanned]("retry_planned"),
	kind[SubtaskEnded]("subtask_ended"),
	kind[ReviewOpened]("review_opened"),
	kind[ReviewDecided]("review_decided"),
	kind[OutputSupplied]("output_supplied"),
	kind[InputRefused]("input_refused"),
	kind[BudgetLow]("budget_low"),
	kind[AggregateAsked]("aggregate_asked"),
	kind[Aggregated]("aggregated"),
	kind[ResultAsked]("result_asked"),
	kind[RunEnded]("run_ended"),
	kind[PauseBegan]("pause_began"),
	kind[PauseEnded]("pause_ended"),
	kind[RunStopping]("run_stopping"),
	kind[Recovered]("recovered"),
	kind[Forked]("forked"),
	kind[ToolsUsed]("tools_used"),
	kind[ToolsAllowed]("tools_allowed"),
	kind[ReservationRaised]("reservation_raised"),
	kind[ReservationDenied]("reservation_denied"),
	kind[Overbilled]("overbilled"),
	kind[SpawnCharged]("spawn_charged"),
	kind[DebateOpened]("debate_opened"),
	kind[PositionTaken]("position_taken"),
	kind[PositionsCompared]("positions_compared"),
	kind[DebateSettled]("debate_settled"),

	kind[WorkersRegistered]("workers_registered"),
	kind[LeaseGranted]("lease_granted"),
	kind[LeaseFreed]("lease_freed"),
	kind[BreakerMoved]("breaker_moved"),
	kind[HealthChanged]("health_changed"),
	kind[ClockStepped]("clock_stepped"),
	kind[InstanceSpawned]("instance_spawned"),
	kind[SpawnAsked]("spawn_asked"),
	kind[SpawnFailed]("spawn_failed"),
	kind[InstanceRetired]("instance_retired"),
	kind[WorkerDrained]("worker_drained"),
	kind[Alerted]("alerted"),
	kind[FleetRebased]("fleet_rebased"),

	kind[AuditBegan]("audit_began"),
	kind[RollbackAccepted]("rollback_accepted"),
	kind[KeyReplaced]("key_replaced"),
}

var factTypes, factNames = indexFacts(factKinds)

func indexFacts(kinds []factKind) (map[reflect.Type]*factKind, map[string]*factKind) {
	types := make(map[reflect.Type]*factKind, len(kinds))
	names := make(map[string]*factKind, len(kinds))
	for i := range kinds {
		k := &kinds[i]
		types[k.typ], names[k.name] = k, k
	}
	return types, names
}
