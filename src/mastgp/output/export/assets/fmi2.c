/* FMI 2.0 (co-simulation and model exchange) around a predictor: inputs in, prediction out.
 *
 * The model has no state and no time: outputs follow inputs at once. NAME, GUID, N_INPUTS_ and
 * N_OUTPUTS are defined by whoever includes this file. Variables are numbered in the order of the
 * model description: inputs first, then mean, standard deviation and ends of the 95 % interval.
 */
#include <stdlib.h>
#include <string.h>

#if defined _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

typedef void *component;
typedef void *environment;
typedef void *state;
typedef unsigned int reference;
typedef double real;
typedef int integer;
typedef int boolean;
typedef char character;
typedef const character *string;
typedef char byte;
typedef enum { ok, warning, discard, error, fatal, pending } status;

typedef struct {
    void (*logger)(environment, string, status, string, string, ...);
    void *(*allocate)(size_t, size_t);
    void (*free)(void *);
    void (*step_finished)(environment, status);
    environment env;
} callbacks;

typedef struct {
    boolean again, terminate, nominals_changed, values_changed, event_known;
    real next_event;
} event_info;

typedef struct {
    double x[N_INPUTS_], y[N_OUTPUTS];
    int fresh;
} instance;

static int instances = 0;

static status refreshed(instance *own)
{
    if (!own->fresh) {
        if (predict(own->x, own->y, own->y + 1, own->y + 2, own->y + 3))
            return error;
        own->fresh = 1;
    }
    return ok;
}

EXPORT string fmi2GetTypesPlatform(void) { return "default"; }
EXPORT string fmi2GetVersion(void) { return "2.0"; }

EXPORT component fmi2Instantiate(string name, int kind, string guid, string resources,
                                 const callbacks *functions, boolean visible, boolean logging)
{
    instance *own;
    (void)kind; (void)resources; (void)visible; (void)logging;
    if (!guid || strcmp(guid, GUID) != 0 || prepare()) {
        if (functions && functions->logger)
            functions->logger(functions->env, name, error, "error",
                              "the FMU does not belong to its description, or memory is short");
        return NULL;
    }
    own = calloc(1, sizeof(instance));
    if (own) {
        memcpy(own->x, starts, sizeof(own->x));
        instances++;
    }
    return own;
}

EXPORT void fmi2FreeInstance(component c)
{
    if (!c)
        return;
    free(c);
    if (--instances == 0)
        release();
}

EXPORT status fmi2SetDebugLogging(component c, boolean on, size_t n, const string names[])
{ (void)c; (void)on; (void)n; (void)names; return ok; }
EXPORT status fmi2SetupExperiment(component c, boolean has, real tolerance, real start,
                                  boolean has_stop, real stop)
{ (void)c; (void)has; (void)tolerance; (void)start; (void)has_stop; (void)stop; return ok; }
EXPORT status fmi2EnterInitializationMode(component c) { (void)c; return ok; }
EXPORT status fmi2ExitInitializationMode(component c) { (void)c; return ok; }
EXPORT status fmi2Terminate(component c) { (void)c; return ok; }

EXPORT status fmi2Reset(component c)
{
    instance *own = c;
    memcpy(own->x, starts, sizeof(own->x));
    own->fresh = 0;
    return ok;
}

EXPORT status fmi2GetReal(component c, const reference vr[], size_t n, real value[])
{
    instance *own = c;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= N_INPUTS_ + N_OUTPUTS)
            return error;
        if (vr[i] < N_INPUTS_) {
            value[i] = own->x[vr[i]];
            continue;
        }
        if (refreshed(own) != ok)
            return error;
        value[i] = own->y[vr[i] - N_INPUTS_];
    }
    return ok;
}

EXPORT status fmi2SetReal(component c, const reference vr[], size_t n, const real value[])
{
    instance *own = c;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= N_INPUTS_)
            return error;
        own->x[vr[i]] = value[i];
        own->fresh = 0;
    }
    return ok;
}

/* Numbers of levels, counted from 0. */
EXPORT status fmi2GetInteger(component c, const reference vr[], size_t n, integer value[])
{
    instance *own = c;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= N_INPUTS_)
            return error;
        value[i] = (integer)own->x[vr[i]];
    }
    return ok;
}

EXPORT status fmi2SetInteger(component c, const reference vr[], size_t n, const integer value[])
{
    for (size_t i = 0; i < n; i++) {
        real number = value[i];
        if (vr[i] >= N_INPUTS_ || value[i] < 0 || (n_levels[vr[i]] && value[i] >= n_levels[vr[i]]))
            return error;
        if (fmi2SetReal(c, vr + i, 1, &number) != ok)
            return error;
    }
    return ok;
}

/* There are no variables of these kinds. */
EXPORT status fmi2GetBoolean(component c, const reference vr[], size_t n, boolean value[])
{ (void)c; (void)vr; (void)value; return n ? error : ok; }
EXPORT status fmi2SetBoolean(component c, const reference vr[], size_t n, const boolean value[])
{ (void)c; (void)vr; (void)value; return n ? error : ok; }
EXPORT status fmi2GetString(component c, const reference vr[], size_t n, string value[])
{ (void)c; (void)vr; (void)value; return n ? error : ok; }
EXPORT status fmi2SetString(component c, const reference vr[], size_t n, const string value[])
{ (void)c; (void)vr; (void)value; return n ? error : ok; }

EXPORT status fmi2GetFMUstate(component c, state *s) { (void)c; (void)s; return error; }
EXPORT status fmi2SetFMUstate(component c, state s) { (void)c; (void)s; return error; }
EXPORT status fmi2FreeFMUstate(component c, state *s) { (void)c; (void)s; return error; }
EXPORT status fmi2SerializedFMUstateSize(component c, state s, size_t *n)
{ (void)c; (void)s; (void)n; return error; }
EXPORT status fmi2SerializeFMUstate(component c, state s, byte b[], size_t n)
{ (void)c; (void)s; (void)b; (void)n; return error; }
EXPORT status fmi2DeSerializeFMUstate(component c, const byte b[], size_t n, state *s)
{ (void)c; (void)b; (void)n; (void)s; return error; }
EXPORT status fmi2GetDirectionalDerivative(component c, const reference unknown[], size_t n,
                                           const reference known[], size_t m, const real dv[],
                                           real value[])
{ (void)c; (void)unknown; (void)n; (void)known; (void)m; (void)dv; (void)value; return error; }

/* Co-simulation: a step changes nothing but the time. */
EXPORT status fmi2SetRealInputDerivatives(component c, const reference vr[], size_t n,
                                          const integer order[], const real value[])
{ (void)c; (void)vr; (void)n; (void)order; (void)value; return error; }
EXPORT status fmi2GetRealOutputDerivatives(component c, const reference vr[], size_t n,
                                           const integer order[], real value[])
{ (void)c; (void)vr; (void)n; (void)order; (void)value; return error; }
EXPORT status fmi2DoStep(component c, real time, real step, boolean no_way_back)
{ (void)time; (void)step; (void)no_way_back; return refreshed(c); }
EXPORT status fmi2CancelStep(component c) { (void)c; return error; }
EXPORT status fmi2GetStatus(component c, int kind, status *value)
{ (void)c; (void)kind; (void)value; return discard; }
EXPORT status fmi2GetRealStatus(component c, int kind, real *value)
{ (void)c; (void)kind; (void)value; return discard; }
EXPORT status fmi2GetIntegerStatus(component c, int kind, integer *value)
{ (void)c; (void)kind; (void)value; return discard; }
EXPORT status fmi2GetBooleanStatus(component c, int kind, boolean *value)
{ (void)c; (void)kind; (void)value; return discard; }
EXPORT status fmi2GetStringStatus(component c, int kind, string *value)
{ (void)c; (void)kind; (void)value; return discard; }

/* Model exchange: no states and no events. */
EXPORT status fmi2EnterEventMode(component c) { (void)c; return ok; }
EXPORT status fmi2NewDiscreteStates(component c, event_info *info)
{
    (void)c;
    memset(info, 0, sizeof(*info));
    return ok;
}
EXPORT status fmi2EnterContinuousTimeMode(component c) { (void)c; return ok; }
EXPORT status fmi2CompletedIntegratorStep(component c, boolean keep, boolean *event, boolean *end)
{
    (void)c; (void)keep;
    *event = *end = 0;
    return ok;
}
EXPORT status fmi2SetTime(component c, real time) { (void)c; (void)time; return ok; }
EXPORT status fmi2SetContinuousStates(component c, const real x[], size_t n)
{ (void)c; (void)x; return n ? error : ok; }
EXPORT status fmi2GetDerivatives(component c, real x[], size_t n)
{ (void)c; (void)x; return n ? error : ok; }
EXPORT status fmi2GetEventIndicators(component c, real x[], size_t n)
{ (void)c; (void)x; return n ? error : ok; }
EXPORT status fmi2GetContinuousStates(component c, real x[], size_t n)
{ (void)c; (void)x; return n ? error : ok; }
EXPORT status fmi2GetNominalsOfContinuousStates(component c, real x[], size_t n)
{ (void)c; (void)x; return n ? error : ok; }
